import type { Database, Statement } from "bun:sqlite";
import { closeKeepingLog, openDatabaseFile } from "../../platform/database/database-file.ts";
import { type Stamp, writeStamp } from "../../platform/database/database-stamp.ts";
import {
  createSchema,
  MQTT_SCHEMA_VERSION,
  schemaVersionOf,
} from "../../platform/database/schema-version.ts";
import { createWalPosition, WalPosition } from "../../platform/database/wal-position.ts";
import type { QueuedMessage, Session } from "./session.ts";

export interface RetainedMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
}

export interface StoredSession {
  readonly key: string;
  readonly space: string;
  readonly client_id: string;
  readonly expiry_s: number;
  readonly subscriptions: string;
  readonly tenant_id: string;
  readonly credential_id: string;
}

interface StoredMessage {
  readonly no: number;
  readonly key: string;
  readonly broker_id: string | null;
  readonly broker_counter: number | null;
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
  readonly retain: number;
  readonly message_id: number | null;
  readonly released: number;
}

const SCHEMA = `
  CREATE TABLE session (key TEXT PRIMARY KEY, space TEXT NOT NULL, client_id TEXT NOT NULL, expiry_s INTEGER NOT NULL,
    subscriptions TEXT NOT NULL, tenant_id TEXT NOT NULL, credential_id TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE received (key TEXT PRIMARY KEY, ids BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE queued (no INTEGER PRIMARY KEY, key TEXT NOT NULL, broker_id TEXT,
    broker_counter INTEGER, topic TEXT NOT NULL, payload BLOB NOT NULL, qos INTEGER NOT NULL,
    retain INTEGER NOT NULL, message_id INTEGER, released INTEGER NOT NULL);
  CREATE TABLE retained (topic TEXT PRIMARY KEY, payload BLOB NOT NULL, qos INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * SQLite file of broker sessions. `synchronous=NORMAL`: a commit needs no fsync; after a power cut the newest changes may be missing, which costs a
 * client a repeated message or a new subscription, never stored telemetry.
 */
export class SessionFile {
  readonly #db: Database;
  readonly #position: WalPosition;
  readonly #saveSession: Statement;
  readonly #saveReceived: Statement;
  readonly #deleteReceived: Statement;
  readonly #saveMessage: Statement;
  readonly #deleteMessage: Statement;
  readonly #saveRetained: Statement;
  readonly #deleteRetained: Statement;

  constructor(path: string) {
    this.#db = openDatabaseFile(path, "create");
    try {
      this.#db.run("PRAGMA busy_timeout = 2000");
      this.#db.run("PRAGMA journal_mode = WAL");
      this.#db.run("PRAGMA synchronous = NORMAL");
      this.#db.run("PRAGMA journal_size_limit = 4194304");
      if (schemaVersionOf(this.#db, path, MQTT_SCHEMA_VERSION) === 0)
        createSchema(this.#db, SCHEMA, MQTT_SCHEMA_VERSION);
      createWalPosition(path);
      this.#db.run("BEGIN IMMEDIATE; COMMIT;"); // makes sure that the write-ahead log exists
      this.#position = new WalPosition(path, this.#db);
    } catch (error) {
      closeKeepingLog(this.#db); // otherwise it would delete the log of the file that replaces it
      throw error;
    }
    this.#saveSession = this.#db.query("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#saveReceived = this.#db.query("INSERT OR REPLACE INTO received VALUES (?, ?)");
    this.#deleteReceived = this.#db.query("DELETE FROM received WHERE key = ?");
    this.#saveMessage = this.#db.query("INSERT OR REPLACE INTO queued VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.#deleteMessage = this.#db.query("DELETE FROM queued WHERE no = ?");
    this.#saveRetained = this.#db.query("INSERT OR REPLACE INTO retained VALUES (?, ?, ?)");
    this.#deleteRetained = this.#db.query("DELETE FROM retained WHERE topic = ?");
  }

  sessions(): StoredSession[] {
    return this.#db.query<StoredSession, []>("SELECT * FROM session").all();
  }

  /** Returns QoS 2 packet identifiers by session key. */
  received(): Map<string, number[]> {
    const rows = this.#db.query<{ key: string; ids: Uint8Array }, []>("SELECT * FROM received").all();
    return new Map(rows.map(({ key, ids }) => [key, [...new Uint16Array(ids.slice().buffer)]]));
  }

  messages(): { key: string; message: QueuedMessage }[] {
    const rows = this.#db.query<StoredMessage, []>("SELECT * FROM queued ORDER BY no").all();
    return rows.map((row) => ({
      key: row.key,
      message: {
        no: row.no,
        brokerId: row.broker_id ?? undefined,
        brokerCounter: row.broker_counter ?? undefined,
        topic: row.topic,
        payload: Buffer.from(row.payload),
        qos: row.qos,
        retain: row.retain === 1,
        messageId: row.message_id ?? undefined,
        released: row.released === 1,
        saved: true,
      },
    }));
  }

  retained(): RetainedMessage[] {
    const rows = this.#db.query<{ topic: string; payload: Uint8Array; qos: 0 | 1 | 2 }, []>(
      "SELECT * FROM retained",
    );
    return rows.all().map((row) => ({ ...row, payload: Buffer.from(row.payload) }));
  }

  saveSession(session: Session): void {
    const subscriptions = JSON.stringify([...session.subscriptions]);
    const { key, space, clientId, expirySeconds, owner } = session;
    const { tenantId, credentialId } = owner;
    this.#saveSession.run(key, space, clientId, expirySeconds, subscriptions, tenantId, credentialId);
  }

  saveReceived(session: Session): void {
    if (session.received.size === 0) this.#deleteReceived.run(session.key);
    else this.#saveReceived.run(session.key, new Uint8Array(Uint16Array.from(session.received).buffer));
  }

  deleteSession(key: string): void {
    this.#db.query("DELETE FROM session WHERE key = ?").run(key);
    this.#deleteReceived.run(key);
  }

  saveMessage(key: string, message: QueuedMessage): void {
    const { no, brokerId, brokerCounter, topic, payload, qos, retain, messageId, released } = message;
    const flags = [retain ? 1 : 0, messageId ?? null, released ? 1 : 0];
    this.#saveMessage.run(no, key, brokerId ?? null, brokerCounter ?? null, topic, payload, qos, ...flags);
  }

  deleteMessage(no: number): void {
    this.#deleteMessage.run(no);
  }

  saveRetained(message: RetainedMessage): void {
    this.#saveRetained.run(message.topic, message.payload, message.qos);
  }

  deleteRetained(topic: string): void {
    this.#deleteRetained.run(topic);
  }

  /** Stamps the file with its data directory and generation. The stamp is on disk on return. */
  stamp(stamp: Stamp): void {
    this.#db.run("PRAGMA synchronous = FULL");
    this.#db.transaction(() => writeStamp(this.#db, stamp))();
    this.#db.run("PRAGMA synchronous = NORMAL");
    this.#position.note(this.#position.mark());
  }

  /** Runs `write` and commits all its changes in one transaction. */
  batch(write: () => void): void {
    this.#db.transaction(write)();
    this.#position.note(this.#position.mark());
  }

  /** Closes the file without moving its write-ahead log. */
  abandon(): void {
    this.#position.dispose();
    closeKeepingLog(this.#db);
    this.#position.release();
  }

  close(): void {
    this.#position.forget();
    this.#position.dispose();
    this.#db.close();
    this.#position.close();
  }
}
