CREATE TABLE session (key TEXT PRIMARY KEY, space TEXT NOT NULL, client_id TEXT NOT NULL, expiry_s INTEGER NOT NULL,
    subscriptions TEXT NOT NULL, tenant_id TEXT NOT NULL, credential_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE received (key TEXT PRIMARY KEY, ids BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE queued (no INTEGER PRIMARY KEY, key TEXT NOT NULL, broker_id TEXT,
    broker_counter INTEGER, topic TEXT NOT NULL, payload BLOB NOT NULL, qos INTEGER NOT NULL,
    retain INTEGER NOT NULL, message_id INTEGER, released INTEGER NOT NULL);
CREATE TABLE retained (topic TEXT PRIMARY KEY, payload BLOB NOT NULL, qos INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE __inventory (id INTEGER PRIMARY KEY CHECK (id = 1), gateway TEXT NOT NULL, generation INTEGER NOT NULL, keys TEXT NOT NULL);
INSERT INTO "__inventory" VALUES (1, '03184816d4cebe3e', 2, '{"storage.key":["8738d026b6ec0541"],"outbound.key":["0ecb40a50a6920dd"],"jwt.key":["ef69805ab8a6baa7"]}');
PRAGMA user_version=1;
