-- Reason: a table opened for a purpose, such as a rematch or a round of a tournament, is opened once.

BEGIN;

ALTER TABLE tables ADD COLUMN origin TEXT;

CREATE UNIQUE INDEX tables_origin ON tables (origin) WHERE origin IS NOT NULL;

PRAGMA user_version = 3;
COMMIT;
