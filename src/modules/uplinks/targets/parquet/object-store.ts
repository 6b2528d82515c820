/** Named objects, in a folder or a bucket. Names use "/" as separator. */
export interface ObjectStore {
  /** Bytes written since creation. */
  readonly bytesSent: number;
  /** Returns all names that start with the prefix, which is empty or ends with "/". */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;
  has(name: string, signal: AbortSignal): Promise<boolean>;
  read(name: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Writes or overwrites a whole object; it is durable when the promise resolves. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void>;
  /** Removes an object, if it exists. */
  remove(name: string, signal: AbortSignal): Promise<void>;
  close(): void;
}
