import { invariant } from "../../lib/core/invariant.ts";
import { Reason } from "../../lib/mqtt/reason.ts";

/** Messages that are answered together after one group commit or refusal, of all participating connections. */
export class CommitGroup {
  state: "pending" | "committed" | "failed" = "pending";
  /** Reason code after the commit; 0 unless the whole group was refused. */
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
  /** Called when one of its groups is decided. */
  groupSettled(): void;
}

export type AckKind = 0 | 1 | 2;

interface Segment {
  readonly group: CommitGroup;
  count: number;
  bytes: number;
}

const RING_MIN = 4;
/** Ring of a connection without published messages. */
const noRing = new Uint32Array(0);

/**
 * Unanswered messages of one connection in the order of arrival. Each is a 32-bit entry: packet identifier in bits 0–15, QoS in 16–17, reason code
 * in 24–31. Runs with the same commit group are one segment, so a group costs one step instead of one per message.
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

  /** Adds an entry. Returns true if it is the first one of the connection in its newest segment, which must then join `group.members`. */
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

  /** Counts the decided entries at the head, up to the first undecided or failed group. */
  ready(): number {
    let count = 0;
    for (const segment of this.#segments) {
      if (segment.group.state !== "committed") break;
      count += segment.count;
    }
    return count;
  }

  /** Returns whether the oldest undecided group has failed, so that no later entry may be answered. */
  get failed(): boolean {
    return this.#segments[0]?.group.state === "failed";
  }

  /** Removes and returns the oldest entry, with the reason of its group if it has none of its own. */
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
