-- Reason: settings of servers and people, who changed what, servers that removed the bot, people who were forgotten.

BEGIN;

-- What is absent has its default; what a key and its value mean is the cogs' affair.
CREATE TABLE settings (
    guild_id INTEGER NOT NULL,
    key      TEXT    NOT NULL,
    value    TEXT    NOT NULL,
    PRIMARY KEY (guild_id, key)
) STRICT, WITHOUT ROWID;

-- Append-only, but for the name of whoever is forgotten: then user_id is an alias below 0.
CREATE TABLE changes (
    change_id INTEGER PRIMARY KEY,
    guild_id  INTEGER NOT NULL,
    at_ms     INTEGER NOT NULL,
    user_id   INTEGER NOT NULL,
    key       TEXT    NOT NULL,
    value     TEXT    NOT NULL
) STRICT;

CREATE INDEX changes_guild ON changes (guild_id, change_id);
CREATE INDEX changes_user ON changes (user_id);

CREATE TABLE people (
    user_id INTEGER PRIMARY KEY,
    pings   TEXT    NOT NULL
) STRICT;

CREATE TABLE departed (
    guild_id INTEGER PRIMARY KEY,
    left_ms  INTEGER NOT NULL
) STRICT;

-- Holds no row for long: AUTOINCREMENT remembers how many aliases were given out, so that none is given twice.
CREATE TABLE aliases (
    number INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;

PRAGMA user_version = 2;
COMMIT;
