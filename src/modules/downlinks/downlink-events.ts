import { detail } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventLog } from "../integrations/event-log.ts";
import type { Attempted } from "./downlink-attempt.ts";
import { type Downlink, devEuiOf } from "./downlinks.types.ts";

const describe = ({ deviceKey, fPort }: Downlink) =>
  `${devEuiOf(deviceKey) ?? deviceKey.slice("id:".length)}${fPort === null ? "" : `, fPort ${fPort}`}`;

/** Downlinks among the events of their integration. */
export function createDownlinkEvents(deps: { eventLog: Pick<EventLog, "add"> }) {
  function add(downlink: Downlink, status: "OK" | "ERROR", text: Text): void {
    const { integrationId, downlinkId, deviceId, fPort, confirmed, payload, commandRpcId, createdBy } =
      downlink;
    const result = { downlinkId, deviceId, fPort, confirmed, commandRpcId, createdBy };
    const { written } = deps.eventLog.add({
      integrationId,
      direction: "OUT",
      status,
      stage: "downlink",
      text,
      payload: Buffer.from(JSON.stringify(payload)),
      origin: null,
      result: JSON.stringify(result),
      isReplayable: false,
    });
    written.catch(() => undefined); // the downlink itself has its own row
  }

  return {
    attempted(downlink: Downlink, attempted: Attempted): void {
      if (attempted.isDone)
        add(downlink, "OK", detail("integration_event.downlink_sent", { device: describe(downlink) }));
      // Told once; what becomes of it in the end is told then.
      else if (!attempted.isFinal && downlink.attempts === 0)
        add(
          downlink,
          "ERROR",
          detail("integration_event.downlink_retried", {
            device: describe(downlink),
            reason: attempted.error,
          }),
        );
    },
    failed: (downlink: Downlink, error: Text): void =>
      add(
        downlink,
        "ERROR",
        detail("integration_event.downlink_failed", { device: describe(downlink), reason: error }),
      ),
  };
}
