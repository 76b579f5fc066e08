-- +goose Up
-- What was recorded of a run's collections, packed by the one who writes it. Apart
-- from the runs, which are read far more often.
CREATE TABLE collections (
    study INTEGER NOT NULL,
    trial INTEGER NOT NULL,
    run   INTEGER NOT NULL,
    log   BLOB NOT NULL,
    PRIMARY KEY (study, trial, run),
    FOREIGN KEY (study, trial, run) REFERENCES runs (study, trial, number) ON DELETE CASCADE
) STRICT;

PRAGMA user_version = 2;
