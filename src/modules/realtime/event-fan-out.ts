import type { TenantId } from "../../lib/core/ids.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { EventTopic, LiveEvent } from "./realtime.types.ts";

/** Max. waiting events of a tenant; no reader keeps more. */
const WAITING_MAX = 1_000;

interface EventReader {
  readonly isOpen: boolean;
  addEvent(event: LiveEvent): void;
  /** Notifies subscriptions to the topic of omitted events. */
  leaveOut(topic: EventTopic, count: number): void;
}

interface TenantQueue {
  /** Oldest first. */
  readonly waiting: { readonly event: LiveEvent; readonly audience: readonly EventReader[] }[];
  /** Numbers of omitted events that readers have not been notified of. */
  readonly leftOut: Map<EventTopic, Map<EventReader, number>>;
}

/**
 * Distributes events to live readers: immediately if there is time, otherwise in turns with other tenants. A message may raise hundreds of alarms for
 * thousands of subscriptions. Beyond a limit, the oldest events are omitted.
 */
export class EventFanOut {
  readonly #tenants = new Map<TenantId, TenantQueue>();

  add(tenantId: TenantId, event: LiveEvent, audience: readonly EventReader[]): void {
    if (audience.length === 0) return;
    const existing = this.#tenants.get(tenantId);
    const queue: TenantQueue = existing ?? { waiting: [], leftOut: new Map() };
    queue.waiting.push({ event, audience });
    if (existing === undefined) {
      this.#tenants.set(tenantId, queue);
      void this.#run(tenantId, queue);
    } else if (queue.waiting.length > WAITING_MAX) leaveOutOldest(queue);
  }

  async #run(tenantId: TenantId, queue: TenantQueue): Promise<void> {
    const owner = { tenantId, userId: `events ${tenantId}` };
    const turn = workShare.enter(owner);
    if (turn !== undefined) await turn;
    try {
      for (const _ of deliver(queue)) {
        const share = workShare.pause(owner);
        if (share !== undefined) await share;
      }
    } finally {
      this.#tenants.delete(tenantId);
    }
  }
}

function leaveOutOldest({ waiting, leftOut }: TenantQueue): void {
  const oldest = waiting.shift();
  if (oldest === undefined) return;
  const { event, audience } = oldest;
  const counts = leftOut.get(event.topic) ?? new Map<EventReader, number>();
  leftOut.set(event.topic, counts);
  for (const reader of audience) counts.set(reader, (counts.get(reader) ?? 0) + 1);
}

/** Yields after each reader. */
function* deliver({ waiting, leftOut }: TenantQueue): Generator<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const reader of next.audience) {
      if (reader.isOpen) reader.addEvent(next.event);
      yield;
    }
    for (const [topic, counts] of leftOut)
      for (const [reader, count] of counts) {
        counts.delete(reader);
        if (reader.isOpen) reader.leaveOut(topic, count);
        yield;
      }
  }
}
