/** The text of messages between their numbers. */
export interface MessageShape {
  /** Text before each number, and behind the last one. */
  readonly texts: readonly Uint8Array[];
  readonly keys: readonly string[];
  /** True if the first number is the time stamp. */
  readonly hasTs: boolean;
}

/** What is known of a device's messages. */
export interface ShapeMemory {
  shape: MessageShape | undefined;
  /** Messages that were not of the shape. */
  misses: number;
}
