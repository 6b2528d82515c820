import { t } from "elysia";
import type { LogLevel } from "../../platform/core/log.ts";
import { searchQuery } from "../api/lists.schemas.ts";

/** Log levels, least serious first. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warning", "error"];

const level = (description: string) =>
  t.Union([t.Literal("debug"), t.Literal("info"), t.Literal("warning"), t.Literal("error")], { description });

export const logLineBody = t.Object(
  {
    sequence: t.Integer({ description: "number that grows with each line" }),
    time: t.String(),
    level: level("how serious it is"),
    logger: t.String({ description: "part of the program that wrote it" }),
    text: t.String(),
  },
  { title: "LogLine" },
);

export const logFilter = {
  level: t.Optional(level("only lines at or above this level")),
  search: searchQuery(["the text"]),
};

export const logLevelBody = t.Object({ level: level("lines below it are not written") });
