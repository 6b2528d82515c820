import type { EventLog } from "../integrations/event-log.service.ts";
import type { Attempted } from "./downlink-attempt.ts";
import { type Downlink, devEuiOf } from "./downlinks.types.ts";

const MESSAGE_MAX = 500;

const describe = ({ deviceKey, fPort }: Downlink) =>
  `${devEuiOf(deviceKey) ?? deviceKey.slice("id:".length)}${fPort === null ? "" : `, fPort ${fPort}`}`;

/** Downlinks among the events of their integration. */
export function createDownlinkEvents(deps: { eventLog: Pick<EventLog, "add"> }) {
  function add(downlink: Downlink, status: "OK" | "ERROR", text: string): void {
    const { integrationId, downlinkId, deviceId, fPort, confirmed, payload, commandRpcId, createdBy } =
      downlink;
    const result = { downlinkId, deviceId, fPort, confirmed, commandRpcId, createdBy };
    const { written } = deps.eventLog.add({
      integrationId,
      direction: "OUT",
      status,
      stage: "downlink",
      message: text.slice(0, MESSAGE_MAX),
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
        add(downlink, "OK", `downlink to ${describe(downlink)}: the network server has it`);
      // Told once; what becomes of it in the end is told then.
      else if (!attempted.isFinal && downlink.attempts === 0)
        add(downlink, "ERROR", `downlink to ${describe(downlink)} is tried again: ${attempted.error}`);
    },
    failed: (downlink: Downlink, error: string): void =>
      add(downlink, "ERROR", `downlink to ${describe(downlink)} failed: ${error}`),
  };
}
