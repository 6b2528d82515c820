/** Named objects, in a folder or a bucket. Names use "/" as separator. */
export interface ObjectStore {
  /** Bytes that were written since it was created. */
  readonly bytesSent: number;
  /** Returns all names that begin with the prefix, which is empty or ends with "/". */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;
  has(name: string, signal: AbortSignal): Promise<boolean>;
  read(name: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Writes a whole object, over one that has the name; it is durable when the promise resolves. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void>;
  /** It is no error if there is none. */
  remove(name: string, signal: AbortSignal): Promise<void>;
  close(): void;
}
