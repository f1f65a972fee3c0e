-- Reason: the first schema. Games as last saved, their inputs, who sits where, what is owed to Discord.
--
-- Times are UTC milliseconds. Ids of servers, channels, people, messages and interactions are Discord's.

BEGIN;

-- AUTOINCREMENT: the number of a deleted table is never given out again, for old buttons carry it.
-- The blobs come last, so that SQLite finds the small columns without walking over them.
CREATE TABLE tables (
    table_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    game         TEXT    NOT NULL,
    guild_id     INTEGER NOT NULL,
    channel_id   INTEGER NOT NULL,
    live         INTEGER NOT NULL CHECK (live IN (0, 1)),
    seq          INTEGER NOT NULL CHECK (seq >= 1),
    due_ms       INTEGER,
    board_id     INTEGER,
    rendered_seq INTEGER NOT NULL DEFAULT 0,
    posted_ms    INTEGER NOT NULL DEFAULT 0,
    ping_id      INTEGER,
    seed         BLOB    NOT NULL,
    body         BLOB    NOT NULL
) STRICT;

CREATE INDEX tables_due ON tables (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX tables_place ON tables (guild_id, channel_id, live);
CREATE INDEX tables_behind ON tables (table_id) WHERE rendered_seq < seq;

-- Append-only: the inputs from which a game is played again.
CREATE TABLE log (
    table_id       INTEGER NOT NULL REFERENCES tables ON DELETE CASCADE,
    seq            INTEGER NOT NULL CHECK (seq >= 1),
    at_ms          INTEGER NOT NULL,
    seat           INTEGER,
    input          BLOB    NOT NULL,
    interaction_id INTEGER,
    PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID;

-- Discord may deliver a press twice; many inputs have none (computer players, deadlines).
CREATE UNIQUE INDEX log_interaction ON log (interaction_id) WHERE interaction_id IS NOT NULL;

CREATE TABLE players (
    user_id  INTEGER NOT NULL,
    table_id INTEGER NOT NULL REFERENCES tables ON DELETE CASCADE,
    PRIMARY KEY (user_id, table_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX players_table ON players (table_id);

-- Keeps its rowid: it tells which message was owed first.
CREATE TABLE outbox (
    nonce    TEXT    NOT NULL PRIMARY KEY CHECK (length(nonce) BETWEEN 1 AND 25),
    table_id INTEGER NOT NULL REFERENCES tables ON DELETE CASCADE,
    kind     TEXT    NOT NULL,
    seat     INTEGER
) STRICT;

PRAGMA user_version = 1;
COMMIT;
