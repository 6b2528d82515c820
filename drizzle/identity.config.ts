import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/modules/identity/provider/*.tables.ts",
  out: "./drizzle/identity",
});
