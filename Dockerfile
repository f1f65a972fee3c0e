# Small, not root, all data in the one volume /data. For amd64 and arm64: every package comes as a wheel for both.
# docs/hosting.md says how to use it and what of it was never run.
ARG PYTHON=3.13.7-slim-bookworm

FROM python:${PYTHON} AS packages
COPY requirements.txt requirements-speed.txt /
RUN python -m venv /venv \
    && /venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --only-binary :all: \
        -r /requirements.txt -r /requirements-speed.txt

FROM python:${PYTHON}
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin dancefloor \
    && install --directory --owner=dancefloor --group=dancefloor --mode=0700 /data
COPY --from=packages /venv /venv
COPY bot.py /app/
COPY cogs /app/cogs
COPY db /app/db
COPY hosting /app/hosting
COPY rules /app/rules
RUN ["/venv/bin/python", "-m", "compileall", "-q", "/app"]

ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DANCEFLOOR_DATABASE=/data/dancefloor.sqlite3
# Relative paths, such as one in an .env file, then lie in the volume as well.
WORKDIR /data
VOLUME /data
USER 10001

# The same as `bot.py health` without loading the bot: it reads the heartbeat file and nothing else.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=1 \
    CMD ["python", "/app/hosting/heartbeat.py"]
ENTRYPOINT ["python", "/app/bot.py"]
