import { integer, text } from "drizzle-orm/sqlite-core";
import type { Text } from "../../lib/texts/text.ts";

/** Returns the columns of the newest error, and its time in epoch ms. */
export const lastErrorColumns = () => ({
  lastError: text("last_error", { mode: "json" }).$type<Text>(),
  lastErrorAt: integer("last_error_at"),
});
