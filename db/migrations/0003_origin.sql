-- Reason: tournaments are kept like tables, and a table opened for a purpose, such as a rematch, is opened once.

BEGIN;

-- Which part of the bot the row belongs to: a table of a game, or a tournament.
ALTER TABLE tables ADD COLUMN kind TEXT NOT NULL DEFAULT 'table';
ALTER TABLE tables ADD COLUMN origin TEXT;

CREATE UNIQUE INDEX tables_origin ON tables (origin) WHERE origin IS NOT NULL;

PRAGMA user_version = 3;
COMMIT;
