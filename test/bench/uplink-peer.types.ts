import type { Content } from "./uplink-content.ts";

/** A real server that an uplink sends to. */
export interface UplinkPeer {
  /** Settings of the target. */
  readonly target: Readonly<Record<string, unknown>>;
  /** Whether deletions arrive there. */
  readonly takesDeletions: boolean;
  /** Whether a value that is written again replaces the earlier one there. */
  readonly takesChanges: boolean;
  /** `false` for a server that stores only numbers and booleans. */
  readonly takesTexts?: boolean;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Returns the stored content. */
  read(): Promise<Content>;
  stop(): Promise<void>;
}
