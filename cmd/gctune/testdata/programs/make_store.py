"""Makes SQLite files that gctune must not touch."""
import shutil
import sqlite3
import sys

if sys.argv[1] == "foreign":
    db = sqlite3.connect(sys.argv[2])
    db.execute("CREATE TABLE studies (name TEXT)")
    db.execute("INSERT INTO studies VALUES ('somebody else''s')")
else:
    source = sqlite3.connect(sys.argv[2])
    db = sqlite3.connect(sys.argv[3])
    source.backup(db)
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute("PRAGMA user_version = 999")
db.commit()
db.close()
