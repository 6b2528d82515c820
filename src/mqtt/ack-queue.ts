import { invariant } from "../lib/core/invariant.ts";
import { Reason } from "../lib/mqtt/reason.ts";

/** Messages that are answered together: one group commit, or one refusal. Shared by every connection that takes part. */
export class CommitGroup {
  state: "pending" | "committed" | "failed" = "pending";
  /** Reason code that is sent after the commit; 0 unless the group was refused as a whole. */
  reason: number = Reason.success;
  /** Connections with a segment in this group, until it is decided. */
  members: AckMember[] = [];

  join(member: AckMember): void {
    if (this.state === "pending") this.members.push(member);
  }

  static settled(): CommitGroup {
    const group = new CommitGroup();
    group.state = "committed";
    return group;
  }
}

export interface AckMember {
  /** A group it takes part in has been decided. */
  groupSettled(): void;
}

export type AckKind = 0 | 1 | 2;

interface Segment {
  readonly group: CommitGroup;
  count: number;
  bytes: number;
}

const RING_MIN = 4;
/** The ring of a connection that has published nothing yet. */
const noRing = new Uint32Array(0);

/**
 * One connection's unanswered messages, in the order they came. Each is a 32-bit entry: packet identifier in bits 0–15, QoS
 * in 16–17, reason code in 24–31; runs that share a commit group are one segment, so a group costs one step, not one a message.
 */
export class AckQueue {
  #ring = noRing;
  #head = 0;
  #size = 0;
  #bytes = 0;
  readonly #segments: Segment[] = [];

  get size(): number {
    return this.#size;
  }

  /** Payload bytes that wait for their commit. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns `true` if this is the first entry of the connection in its newest segment: it must then join `group.members`. */
  push(group: CommitGroup, entry: number, bytes: number): boolean {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = entry;
    this.#size++;
    this.#bytes += bytes;
    const last = this.#segments.at(-1);
    if (last !== undefined && last.group === group) {
      last.count++;
      last.bytes += bytes;
      return false;
    }
    this.#segments.push({ group, count: 1, bytes });
    return true;
  }

  /** Counts the decided entries at the head; stops at the first undecided or failed group. */
  ready(): number {
    let count = 0;
    for (const segment of this.#segments) {
      if (segment.group.state !== "committed") break;
      count += segment.count;
    }
    return count;
  }

  /** Returns whether the oldest undecided group has failed: nothing behind it may be answered. */
  get failed(): boolean {
    return this.#segments[0]?.group.state === "failed";
  }

  /** Takes the oldest entry; its group's reason fills in when the entry has none of its own. */
  shift(): number {
    const segment = this.#segments[0];
    invariant(segment !== undefined && this.#size > 0, "shift of an empty acknowledgement queue");
    const entry = this.#ring[this.#head]!;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size--;
    const { reason } = segment.group;
    if (--segment.count === 0) {
      this.#bytes -= segment.bytes;
      this.#segments.shift();
    }
    return entry >>> 24 === 0 ? (entry | (reason << 24)) >>> 0 : entry;
  }

  #grow(): void {
    const ring = new Uint32Array(Math.max(RING_MIN, this.#ring.length * 2));
    for (let index = 0; index < this.#size; index++) {
      ring[index] = this.#ring[(this.#head + index) & (this.#ring.length - 1)]!;
    }
    this.#ring = ring;
    this.#head = 0;
  }
}

export const ackEntry = (packetId: number, kind: AckKind, reason: number) =>
  (packetId | (kind << 16) | (reason << 24)) >>> 0;
