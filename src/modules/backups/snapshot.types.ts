/** Named objects of a backup repository: a folder, a bucket or one archive file. Names use "/" as separator. */
export interface BackupTarget {
  /** Returns the names that begin with `prefix`, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Returns the same names with each object's size, which reveals missing or truncated objects without reading them. */
  sizes(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** Returns a whole object. @throws DomainError `not_found` when there is none, `unavailable` when the target fails. */
  read(name: string): Promise<Uint8Array>;
  /** Writes a whole object; it is complete and durable when the promise resolves, and absent before. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes leftovers of interrupted writes. */
  removeUnfinished(): Promise<void>;
}

/** Location of a repository, in the form of settings and command lines. */
export type BackupPlace =
  | { readonly kind: "folder"; readonly path: string }
  | {
      readonly kind: "s3";
      readonly endpoint: string;
      readonly region: string;
      readonly bucket: string;
      /** Begins the name of every object; empty, or ends with "/". */
      readonly prefix: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

/** A database within a snapshot, or a file of the hot log, which is split into pages as well. */
export interface SnapshotDatabase {
  /** Its file name in the data directory. */
  readonly name: string;
  readonly pageBytes: number;
  readonly pages: number;
  /** SHA-256 of the whole file, hexadecimal. Of a log: of its chunks from the last to the first, as they are copied. */
  readonly sha256: string;
}

/** A small file within a snapshot, such as a key in `secrets/`. */
export interface SnapshotFile {
  /** Its path within the data directory. */
  readonly path: string;
  readonly base64: string;
}

/** Size and checksum of an object that a snapshot needs. */
export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
}

/** Object with compressed pages. */
export interface Pack extends StoredObject {
  /** Number of pages that were written to it, whether a snapshot still reads them or not. */
  readonly pages: number;
}

/** The record of a snapshot: `snapshots/<id>.json`. It is written last, and makes the snapshot valid. */
export interface SnapshotRecord {
  readonly format: 1;
  /** A number that grows, the time and a random part: `000042-20261122T124500Z-1f2e3d4c`. */
  readonly id: string;
  /** Time stamp in milliseconds at which the snapshot was frozen. */
  readonly createdAt: number;
  readonly lineside: string;
  readonly databases: readonly SnapshotDatabase[];
  readonly files: readonly SnapshotFile[];
  /** Object with the page maps of all databases. */
  readonly maps: StoredObject;
  /** Packs that the page maps refer to, by position. */
  readonly packs: readonly Pack[];
  /** Bytes of all databases and files. */
  readonly bytes: number;
  /** Bytes that this snapshot added to the repository. */
  readonly addedBytes: number;
  /** True if every block and every row of the telemetry was read and decoded. */
  readonly isTelemetryChecked: boolean;
  /** Damage of the gateway's data in the snapshot, an English line each. */
  readonly problems: readonly string[];
}

/** The first object of a repository: `repository.json`. */
export interface RepositoryRecord {
  readonly format: 1;
  /** Gateway whose snapshots these are. */
  readonly gateway: string;
  /** Id of the machine that writes here, to refuse clones of the gateway. Absent if the machine has no id. */
  readonly machine?: string;
  /** Encryption of objects; absent if they are not encrypted. */
  readonly encryption?: EncryptionRecord;
}

export interface EncryptionRecord {
  readonly cipher: "aes-256-gcm";
  readonly kdf: "scrypt";
  readonly salt: string;
  readonly cost: number;
  /** A known text, encrypted: tells a wrong passphrase from a damaged object. */
  readonly probe: string;
}

/** Result of one run of a backup. */
export interface BackupResult {
  readonly id: string;
  readonly createdAt: number;
  readonly bytes: number;
  readonly addedBytes: number;
  readonly durationMs: number;
  /** Databases that were restored to a temporary file and opened. The others were compared page by page. */
  readonly opened: readonly string[];
  /** False if the disk had no space for some databases, or not all were requested. */
  readonly openedAll: boolean;
  /** As in the record of the snapshot. */
  readonly problems: readonly string[];
  /** State of the objects that were at the place before. */
  readonly place: PlaceReport;
}

/** Damage that a run found at the place, and repairs. */
export interface PlaceReport {
  /** Number of objects read back and compared. */
  readonly checkedObjects: number;
  /** Names of missing, truncated or damaged objects, and of unreadable records. */
  readonly damagedObjects: readonly string[];
  /** Ids of older snapshots that are complete again. */
  readonly repairedSnapshots: readonly string[];
  /** Ids of snapshots that can only be restored in part. */
  readonly damagedSnapshots: readonly string[];
}
