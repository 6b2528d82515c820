// Ends with a database open. Usage: bun end-process-child.ts DIRECTORY
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { endProcess } from "../../../src/platform/process/end-process.ts";

const database = openMainDatabase(join(process.argv[2] ?? "", "identity.db"), "identity", createLogger());
database.sqlite.run("CREATE TABLE kept (value); INSERT INTO kept VALUES (1)");
await database.durable();
console.log("last line");
endProcess(74);
