import { DomainError, detail } from "../../lib/core/domain-error.ts";
import { secretHint } from "../../lib/strings/secret-hint.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { FaultSubject } from "../faults/faults.types.ts";
import type { RefusalOwner, RefusalReason, ReportRefusal } from "../faults/refusals.types.ts";
import { type PeerServer, peerOf } from "./request-peer.ts";

function subjectOf({ deviceId, userId, mqttClientId }: RefusalOwner): FaultSubject | undefined {
  if (deviceId !== undefined) return { kind: "device", id: deviceId };
  if (mqttClientId !== undefined) return { kind: "mqtt_client", id: mqttClientId };
  return userId === undefined ? undefined : { kind: "user", id: userId };
}

/** Returns the function by which an edge reports refused credentials. */
export const refusalReporter =
  (events: Pick<EventBus<DomainEvents>, "emit">): ReportRefusal =>
  ({ edge, reason, address, protocol, client, identity, tenantId, ...owner }) =>
    events.emit("fault.occurred", {
      source: edge,
      ...detail(`refusal.${reason}`),
      address,
      protocol,
      client,
      identity,
      tenantId,
      subject: subjectOf(owner),
    });

/** Runs `work` for a request that contains the secret of a link. */
export type WithLink = <Result>(
  context: { readonly request: Request; readonly server: PeerServer | null },
  secret: string,
  work: () => Result | Promise<Result>,
) => Promise<Result>;

/** Returns the function that runs `work` and reports the link of the request if `work` throws an error with this code. */
export const linkReporter =
  (report: ReportRefusal, refusal: { readonly code: string; readonly reason: RefusalReason }): WithLink =>
  async ({ request, server }, secret, work) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DomainError && error.code === refusal.code) {
        const identity = { kind: "token", name: secretHint(secret) } as const;
        report({ edge: "link", reason: refusal.reason, ...peerOf(request, server), identity });
      }
      throw error;
    }
  };
