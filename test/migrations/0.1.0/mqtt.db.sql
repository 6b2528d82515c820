CREATE TABLE session (key TEXT PRIMARY KEY, space TEXT NOT NULL, client_id TEXT NOT NULL, expiry_s INTEGER NOT NULL,
    subscriptions TEXT NOT NULL, tenant_id TEXT NOT NULL, credential_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE received (key TEXT PRIMARY KEY, ids BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE queued (no INTEGER PRIMARY KEY, key TEXT NOT NULL, broker_id TEXT,
    broker_counter INTEGER, topic TEXT NOT NULL, payload BLOB NOT NULL, qos INTEGER NOT NULL,
    retain INTEGER NOT NULL, message_id INTEGER, released INTEGER NOT NULL);
CREATE TABLE retained (topic TEXT PRIMARY KEY, payload BLOB NOT NULL, qos INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE __inventory (id INTEGER PRIMARY KEY CHECK (id = 1), gateway TEXT NOT NULL, generation INTEGER NOT NULL, keys TEXT NOT NULL);
INSERT INTO "__inventory" VALUES (1, 'a85447e1b50d67e3', 2, '{"storage.key":["895b08da50937723"],"outbound.key":["924492a2b2f63742"],"jwt.key":["157415b6a82ce6be"]}');
PRAGMA user_version=1;
