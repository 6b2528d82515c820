/** Text of messages between their numbers. */
export interface MessageShape {
  /** Text before each number, and after the last one. */
  readonly texts: readonly Uint8Array[];
  readonly keys: readonly string[];
  /** True if the first number is the timestamp. */
  readonly hasTs: boolean;
}

/** Cached data on a device's messages. */
export interface ShapeMemory {
  shape: MessageShape | undefined;
  /** Number of messages with a different shape. */
  misses: number;
}
