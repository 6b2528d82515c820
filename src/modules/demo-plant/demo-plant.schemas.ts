import { t } from "elysia";
import { wholeNumber } from "../api/wire.schemas.ts";

export const statusBody = t.Object(
  {
    state: t.Union([t.Literal("none"), t.Literal("running"), t.Literal("stopped")]),
    progress: t.Number({ description: "0 to 1: how much of the day before is stored" }),
    deviceCount: wholeNumber(),
    dashboardId: t.Union([t.String(), t.Null()]),
  },
  { title: "DemoPlantStatus" },
);
