import type { FaultSource } from "../../lib/alarms/fault-sources.ts";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { placeText, sampleText } from "../../lib/strings/sample-text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice, IngestSource, Rejection } from "./ingest.types.ts";

const sources: Record<IngestSource, FaultSource> = {
  mqtt: "mqtt",
  http: "device_api",
  ws: "device_websocket",
  integration: "integration",
  import: "import",
  generator: "generator",
  test: "test",
};

/** Creates a function that lists rejected messages of devices among the faults, and shows them live. */
export const rejectionReporter =
  ({ events, clock }: { events: Pick<EventBus<DomainEvents>, "emit">; clock: Pick<Clock, "now"> }) =>
  ({ tenantId, deviceId, revoked }: IngestDevice, rejection: Rejection): void => {
    if (revoked) return;
    const { source, where, code, params, sample, isCountedOnly, count = 1 } = rejection;
    const shown = {
      where: placeText(where),
      code,
      params,
      ...(sample !== undefined && { sample: sampleText(sample) }),
    };
    const subject = { kind: "device", id: deviceId } as const;
    events.emit("fault.occurred", { ...shown, source: sources[source], tenantId, subject, count });
    if (isCountedOnly) return;
    const reason = inEnglish({ code, params });
    const live = { ...shown, at: new Date(clock.now()).toISOString(), source, reason };
    events.emit("device.rejected", { tenantId, deviceId, rejection: live });
  };
