import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Health } from "../../platform/core/health.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Part } from "../../platform/process/lifecycle.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { MailLanguage, MailSender } from "../mail/mail.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";

const CHECK_INTERVAL_MS = 4_000;
/** Consecutive checks with a problem before a mail is sent. */
const LASTING_CHECKS = 2;
/** Time in ms within which a recurring problem counts as the same. */
const REPEAT_AFTER_MS = 60 * 60_000;

interface Seen {
  checks: number;
  isReported: boolean;
  /** Monotonic time of the last check with the problem. */
  lastAt: number;
}

/** Sends one mail per lasting problem to the owners of the gateway's own tenant, within 10 s. */
export class ProblemMails implements Part {
  readonly name = "problem mails";
  readonly #seen = new Map<string, Seen>();
  readonly #timer: { start(): void; stop(): void };

  readonly #deps: {
    health: Pick<Health, "problems">;
    tenants: Pick<TenantsService, "list">;
    users: Pick<UsersService, "listOf">;
    mail: Pick<MailSender, "enqueue">;
    languageOf: (tenantId: TenantId) => MailLanguage;
    clock: Clock;
    log: Logger;
  };

  constructor(deps: {
    health: Pick<Health, "problems">;
    tenants: Pick<TenantsService, "list">;
    users: Pick<UsersService, "listOf">;
    mail: Pick<MailSender, "enqueue">;
    languageOf: (tenantId: TenantId) => MailLanguage;
    clock: Clock;
    log: Logger;
  }) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#timer = createPeriodic({ clock, log, intervalMs: CHECK_INTERVAL_MS, work: () => this.#check() });
  }

  start(): void {
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
  }

  #check(): void {
    const now = this.#deps.clock.monotonic();
    for (const [code, { lastAt }] of this.#seen) if (now - lastAt > REPEAT_AFTER_MS) this.#seen.delete(code);
    const lasting = this.#deps.health.problems().filter(({ code }) => this.#note(code, now));
    if (lasting.length === 0) return;
    this.#send(lasting.map(({ code, params }) => ({ code, params })));
    for (const { code } of lasting) {
      const seen = this.#seen.get(code);
      if (seen !== undefined) seen.isReported = true;
    }
  }

  /** Returns `true` if the problem lasts and has not been reported. */
  #note(code: string, now: number): boolean {
    const seen = this.#seen.get(code) ?? { checks: 0, isReported: false, lastAt: now };
    this.#seen.set(code, seen);
    seen.checks = now - seen.lastAt > 2 * CHECK_INTERVAL_MS ? 1 : seen.checks + 1;
    seen.lastAt = now;
    return !seen.isReported && seen.checks >= LASTING_CHECKS;
  }

  #send(problems: readonly Text[]): void {
    const { tenants, users, mail, clock } = this.#deps;
    const reportedAt = new Date(clock.now()).toISOString();
    for (const { tenantId } of tenants.list().filter(({ isHost }) => isHost))
      for (const user of users.listOf(tenantId))
        if (user.role === "TENANT_OWNER" && user.status === "ACTIVE" && user.notificationsEmailEnabled)
          mail.enqueue({
            tenantId,
            to: user.email,
            language: this.#deps.languageOf(tenantId),
            template: "gateway_problem",
            values: { fullName: user.fullName, problems, at: reportedAt },
          });
  }
}
