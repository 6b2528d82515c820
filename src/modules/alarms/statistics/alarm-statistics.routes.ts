import { Elysia, t } from "elysia";
import { iso } from "../../../lib/time/iso-time.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import { readFilter } from "../alarms.wire.ts";
import { alarmStatisticsBody, alarmStatisticsQuery } from "./alarm-statistics.schemas.ts";
import type { AlarmStatistics, ReadAlarmStatistics } from "./alarm-statistics.ts";

const toWire = ({ from, to, busiest, standing, frequent, chattering, ...figures }: AlarmStatistics) => ({
  ...figures,
  from: iso(from),
  to: iso(to),
  busiest: busiest && { ...busiest, from: iso(busiest.from) },
  severities: [...figures.severities],
  bars: { ...figures.bars, raised: [...figures.bars.raised] },
  frequent: [...frequent],
  chattering: [...chattering],
  standing: {
    ...standing,
    alarms: standing.alarms.map(({ raisedAt, ...alarm }) => ({ ...alarm, raisedAt: iso(raisedAt) })),
  },
});

/** Creates the route for alarm statistics. */
export const alarmStatisticsRoutes = ({ read, auth }: { read: ReadAlarmStatistics; auth: AuthPlugin }) =>
  new Elysia({ tags: ["alarms"] }).use(auth).get(
    "/api/alarms/statistics",
    async ({ principal, request, query: { severity, ...query } }) => {
      const { severities } = readFilter({ severity });
      return toWire(await read(principal, { ...query, severities }, request.signal));
    },
    {
      auth: "alarms:read",
      query: t.Object(alarmStatisticsQuery),
      response: { 200: alarmStatisticsBody },
      detail: {
        operationId: "getAlarmStatistics",
        summary: "Get alarm statistics",
        description:
          "Counts how often alarms were raised, as EEMUA 191 and IEC 62682 judge alarm systems: per operator and hour, floods, the most frequent and chattering alarms, and the time to acknowledge. It covers the last 7 days unless `from` and `to` say otherwise, 31 days at most, and the devices that the caller may see. Standing alarms are those that are open now. At most the newest 100,000 matching events are counted.",
      },
    },
  );
