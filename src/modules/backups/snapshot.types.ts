/** Named objects of a backup repository: a folder, a bucket or one archive file. Names use "/" as separator. */
export interface BackupTarget {
  /** Returns the names that start with `prefix`, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Returns the names with each object's size, which reveals missing or truncated objects without reading them. */
  sizes(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** Returns a whole object. @throws DomainError `not_found` if it does not exist, `unavailable` if the target fails */
  read(name: string): Promise<Uint8Array>;
  /** Writes a whole object, which is complete and durable once the promise resolves, and absent before. */
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
      /** Prefix of all object names; empty, or ends with "/". */
      readonly prefix: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

/** Database in a snapshot, or a file of the hot log, which is split into pages as well. */
export interface SnapshotDatabase {
  /** File name in the data directory. */
  readonly name: string;
  readonly pageBytes: number;
  readonly pages: number;
  /** SHA-256 of the whole file, hexadecimal. For a log: of its chunks from the last to the first, in copying order. */
  readonly sha256: string;
}

/** Small file in a snapshot, such as a key in `secrets/`. */
export interface SnapshotFile {
  /** Path within the data directory. */
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
  /** Number of pages written to it, including unused ones. */
  readonly pages: number;
}

/** Record of a snapshot: `snapshots/<id>.json`. Written last, which makes the snapshot valid. */
export interface SnapshotRecord {
  readonly format: 1;
  /** Ascending number, time and a random part: `000042-20261122T124500Z-1f2e3d4c`. */
  readonly id: string;
  /** Epoch ms at which the snapshot was frozen. */
  readonly createdAt: number;
  readonly lineside: string;
  readonly databases: readonly SnapshotDatabase[];
  readonly files: readonly SnapshotFile[];
  /** Object with the page maps of all databases. */
  readonly maps: StoredObject;
  /** Packs of the page maps, by position. */
  readonly packs: readonly Pack[];
  /** Bytes of all databases and files. */
  readonly bytes: number;
  /** Bytes that this snapshot added to the repository. */
  readonly addedBytes: number;
  /** True if every block and every row of the telemetry was read and decoded. */
  readonly isTelemetryChecked: boolean;
  /** Damage of the gateway's data in the snapshot, one English line each. */
  readonly problems: readonly string[];
}

/** First object of a repository: `repository.json`. */
export interface RepositoryRecord {
  readonly format: 1;
  /** Gateway that owns the snapshots. */
  readonly gateway: string;
  /** Id of the writing machine, to refuse clones of the gateway. Absent if the machine has no id. */
  readonly machine?: string;
  /** Path of the data directory of the newest run, to refuse a copy of it beside the gateway. */
  readonly directory?: string;
  /** Encryption of objects; absent if they are not encrypted. */
  readonly encryption?: EncryptionRecord;
}

export interface EncryptionRecord {
  readonly cipher: "aes-256-gcm";
  readonly kdf: "scrypt";
  readonly salt: string;
  readonly cost: number;
  /** Encrypted constant that distinguishes a wrong passphrase from a damaged object. */
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
  /** State of the objects that were stored before. */
  readonly place: PlaceReport;
}

/** Damage and repairs at the location. */
export interface PlaceReport {
  /** Number of objects read back and compared. */
  readonly checkedObjects: number;
  /** Names of missing, truncated or damaged objects, and of unreadable records. */
  readonly damagedObjects: readonly string[];
  /** Ids of older snapshots that are complete again. */
  readonly repairedSnapshots: readonly string[];
  /** Ids of snapshots that can only be restored partially. */
  readonly damagedSnapshots: readonly string[];
}
