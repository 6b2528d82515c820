import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/modules/!(identity)/*.tables.ts", "./src/modules/identity/identity.tables.ts"],
  out: "./drizzle/lineside",
});
