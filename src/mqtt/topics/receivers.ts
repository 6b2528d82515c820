import type { Qos } from "../../lib/mqtt/packets.ts";

/** Matching subscription of a message with its owner. */
export interface ReceiverSubscription<Receiver> {
  readonly receiver: Receiver;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
}

/** QoS and retain flag with which a message is delivered to one client. */
export interface Grant {
  readonly qos: Qos;
  readonly retain: boolean;
}

/**
 * Returns the receivers of a message: each client once, with the best of its matching subscriptions.
 * @param isSender whether a client has published the message itself
 */
export function receiversOf<Receiver>(
  subscriptions: readonly ReceiverSubscription<Receiver>[],
  message: Grant,
  isSender: (receiver: Receiver) => boolean,
): Map<Receiver, Grant> {
  const receivers = new Map<Receiver, Grant>();
  for (const { receiver, qos, noLocal, retainAsPublished } of subscriptions) {
    if (noLocal && isSender(receiver)) continue;
    const before = receivers.get(receiver);
    const granted = Math.max(before?.qos ?? 0, Math.min(qos, message.qos)) as Qos; // one of the two
    const retain = before?.retain === true || (message.retain && retainAsPublished);
    receivers.set(receiver, { qos: granted, retain });
  }
  return receivers;
}
