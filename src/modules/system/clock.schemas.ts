import { t } from "elysia";

export const clockBody = t.Object({
  isSet: t.Boolean({ description: "Whether the gateway trusts the system's clock." }),
  time: t.String({ format: "date-time", description: "Time of the gateway." }),
  systemTime: t.String({
    format: "date-time",
    description: "Time of the system; the gateway uses it when the clock is set.",
  }),
});
