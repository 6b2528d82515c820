import { join } from "node:path";
import { createSessionsRepository } from "../../modules/identity/sessions.repository.ts";
import { createLinkSecret } from "../../modules/identity/setup.service.ts";
import { createUsersRepository } from "../../modules/users/users.repository.ts";
import { type Config, loadConfig, processEnv } from "../../platform/config/config.ts";
import { createLogger } from "../../platform/core/log.ts";
import { openMainDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../platform/time/clock.ts";
import { ensureGatewayData } from "../gateway-data.ts";
import { consoleUrl } from "../gateway-url.ts";
import { fromElsewhere } from "../other-addresses.ts";

/** Returns undefined if the gateway has an owner. Only accesses the database, so that it works while the gateway runs. */
async function createSetupLink(config: Config): Promise<string | undefined> {
  const database = openMainDatabase(join(config.data, "lineside.db"), "lineside", createLogger("database"));
  try {
    if (createUsersRepository(database).count() > 0) return undefined;
    const sessions = createSessionsRepository(database);
    const secret = createLinkSecret({ sessions, transact: database.transact, now: systemClock.now });
    await database.durable();
    return `${consoleUrl(config)}/setup?token=${secret}`;
  } finally {
    database.close();
  }
}

/** `lineside setup-link`: creates a new link to the setup page, even while the gateway runs. Earlier links become invalid. */
export async function setupLinkCommand(args: readonly string[]): Promise<number> {
  const config = loadConfig(args, processEnv(), "setup-link");
  ensureGatewayData(config.data);
  const link = await createSetupLink(config);
  if (link === undefined) {
    console.error("This gateway has an owner already; sign in with that account.");
    return 1;
  }
  console.log(link);
  for (const other of fromElsewhere(link, config)) console.error(`from another computer: ${other}`);
  return 0;
}
