-- +goose Up
CREATE TABLE studies (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE CHECK (name <> ''),
    created     TEXT,
    seed        TEXT NOT NULL, -- decimal: an unsigned 64-bit number does not fit INTEGER
    sampler     TEXT NOT NULL,
    config      TEXT NOT NULL,
    definition  TEXT CHECK (definition IS NULL OR json_valid(definition)),
    fingerprint TEXT CHECK (fingerprint IS NULL OR json_valid(fingerprint))
) STRICT;

-- The process that works on a study, at most one.
CREATE TABLE claims (
    study       INTEGER PRIMARY KEY REFERENCES studies (id) ON DELETE CASCADE,
    pid         INTEGER NOT NULL,
    start_ticks INTEGER NOT NULL,
    boot_id     TEXT NOT NULL,
    host        TEXT NOT NULL
) STRICT;

CREATE TABLE trials (
    study       INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL CHECK (number >= 0),
    origin      TEXT NOT NULL,
    setting     TEXT NOT NULL CHECK (json_valid(setting)),
    state       TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'complete', 'infeasible', 'failed', 'void')),
    reason      TEXT NOT NULL,
    attempts    INTEGER NOT NULL CHECK (attempts > 0),
    started     TEXT,
    finished    TEXT,
    warnings    TEXT CHECK (warnings IS NULL OR json_valid(warnings)),
    output_path TEXT NOT NULL,
    marker      TEXT NOT NULL,
    owner_pid   INTEGER, -- of the claim under which the trial was begun last
    PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    study    INTEGER NOT NULL,
    trial    INTEGER NOT NULL,
    number   INTEGER NOT NULL CHECK (number >= 0),
    seconds  REAL NOT NULL,
    started  TEXT,
    warnings TEXT CHECK (warnings IS NULL OR json_valid(warnings)),
    PRIMARY KEY (study, trial, number),
    FOREIGN KEY (study, trial) REFERENCES trials (study, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- A new metric is a row here, never a column.
CREATE TABLE metrics (
    study INTEGER NOT NULL,
    trial INTEGER NOT NULL,
    run   INTEGER NOT NULL,
    name  TEXT NOT NULL CHECK (name <> ''),
    value REAL NOT NULL,
    PRIMARY KEY (study, trial, run, name),
    FOREIGN KEY (study, trial, run) REFERENCES runs (study, trial, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE replays (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    study    INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
    trial    INTEGER, -- NULL: a setting that is none of the trials
    setting  TEXT NOT NULL CHECK (json_valid(setting)),
    created  TEXT,
    document TEXT NOT NULL CHECK (json_valid(document)), -- pairs, ratios, verdicts
    FOREIGN KEY (study, trial) REFERENCES trials (study, number) ON DELETE CASCADE
) STRICT;

CREATE INDEX replays_study ON replays (study);

-- Kept in the file's header too, where it can be read without opening the database.
PRAGMA user_version = 1;
