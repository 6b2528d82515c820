import { detail } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import { FairTurns } from "../../platform/fair-turns.ts";
import type { Logger } from "../../platform/log.ts";
import type { MailQueue, MailRepository } from "./mail.repository.ts";
import { MailRefusal, type MailTransport, type OutboxMail, type OutgoingMail } from "./mail.types.ts";
import { scrubbed } from "./mail-scrub.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Waits after the first tries: short ones for servers that put unknown senders off (greylisting), then hourly. */
const FIRST_WAITS_MS = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS);
/** 68 minutes of first waits and 23 hours: a day. Counted in tries, so that no clock that is set ends it. */
export const ATTEMPTS_MAX = FIRST_WAITS_MS.length + 23 + 1;
/** Longest delay until mails that the command line has queued are seen. */
const POLL_INTERVAL_MS = 30_000;
const REASON_CHARACTERS_MAX = 500;

const unexpected = (error: unknown): MailRefusal =>
  new MailRefusal(
    detail("mail_error.unexpected", { reason: excerpt(String(error), REASON_CHARACTERS_MAX) }),
    false,
  );

export const waitAfter = (attempts: number): number => FIRST_WAITS_MS[attempts - 1] ?? HOUR_MS;

interface MailDeliveryDeps {
  readonly repository: MailRepository;
  /** Returns undefined while there is no mail server: nothing is sent then. */
  readonly transport: () => MailTransport | undefined;
  readonly render: (mail: OutboxMail) => OutgoingMail;
  readonly onSettled: (mail: OutboxMail) => void;
  /** Called for each attempt that failed. `isFinal`: no retry follows. */
  readonly onFailed: (mail: OutboxMail, reason: Text, isFinal: boolean) => void;
  /** Resolves once what was written is on the disk. */
  readonly durable: () => Promise<void>;
  readonly clock: Clock;
  /** Steady epoch ms. */
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Sends what is queued, one mail at a time: mails about accounts before alarm mails, and tenants in turns by the time that their mails take. A try is counted, and the next one set, before the
 * server is asked: after a crash in between, the mail goes out again under the same Message-ID, but not in a loop.
 */
export class MailDelivery {
  private cancel: () => void = () => undefined;
  private running: Promise<void> | undefined;
  private stopped = true;
  /** Something came while the last round was ending. */
  private isAsked = false;
  /** Mails that were sent and whose row could not be written: they must not go out again. */
  private readonly sentUnmarked = new Set<string>();
  /** Keyed by tenant; empty for people without a tenant. */
  private readonly turns = new FairTurns<{ isDue: boolean }>({
    create: () => ({ isDue: false }),
    hasWork: ({ isDue }) => isDue,
  });

  constructor(private readonly deps: MailDeliveryDeps) {}

  start(): void {
    this.stopped = false;
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel();
    await this.running;
  }

  /** Looks for mails to send. */
  wake(): void {
    this.isAsked = this.running !== undefined;
    if (this.stopped || this.isAsked) return;
    const { clock, now, log } = this.deps;
    this.cancel();
    this.running = this.sendDue()
      .then((nextDueAt) => Math.min((nextDueAt ?? Number.POSITIVE_INFINITY) - now(), POLL_INTERVAL_MS))
      .catch((error: unknown) => {
        log.warn("the outbox could not be processed and is retried", { error }); // a full disk, say
        return POLL_INTERVAL_MS;
      })
      .then((waitMs) => {
        this.running = undefined;
        if (this.isAsked || waitMs <= 0) this.wake();
        else if (!this.stopped) this.cancel = clock.schedule(waitMs, () => this.wake());
      });
  }

  private markSent(mail: OutboxMail): void {
    this.sentUnmarked.add(mail.mailId);
    this.deps.repository.update(mail.mailId, {
      state: "SENT",
      sentAt: this.deps.clock.now(),
      lastError: null,
      ...scrubbed(mail),
    });
    this.sentUnmarked.delete(mail.mailId);
  }

  private markRefused(mail: OutboxMail, attempts: number, refusal: MailRefusal): void {
    const isFinal = refusal.isPermanent || attempts >= ATTEMPTS_MAX;
    this.deps.repository.update(mail.mailId, {
      state: isFinal ? "FAILED" : "QUEUED",
      lastError: refusal.text,
    });
    this.deps.onFailed(mail, refusal.text, isFinal);
    this.deps.log.warn(isFinal ? "mail failed" : "mail not sent, is tried again", {
      mailId: mail.mailId,
      attempts,
      reason: refusal.message,
    });
  }

  private async attempt(mail: OutboxMail, transport: MailTransport): Promise<void> {
    const { repository, render, durable, now, log } = this.deps;
    const attempts = mail.attempts + 1;
    repository.update(mail.mailId, { attempts, nextAttemptAt: now() + waitAfter(attempts) });
    await durable();
    if (this.sentUnmarked.has(mail.mailId)) {
      this.markSent(mail);
      return;
    }
    try {
      await transport.send(render(mail));
    } catch (error) {
      const refusal = error instanceof MailRefusal ? error : unexpected(error);
      this.markRefused(mail, attempts, refusal);
      return;
    }
    this.markSent(mail);
    log.info("mail sent", { mailId: mail.mailId, attempts });
  }

  /** Returns the first mail of the tenant whose turn it is. */
  private nextOf(due: readonly MailQueue[]): OutboxMail | undefined {
    const isAlarm = due.every((queue) => queue.isAlarm);
    const queues = due.filter((queue) => queue.isAlarm === isAlarm);
    const byKey = new Map(queues.map((queue) => [queue.tenantId ?? "", queue]));
    for (const [key, member] of this.turns) member.isDue &&= byKey.has(key);
    for (const key of byKey.keys()) this.turns.of(key).isDue = true;
    const queue = byKey.get(this.turns.next()?.key ?? "");
    return queue && this.deps.repository.next(queue);
  }

  /** Sends all that is due. Returns when the next one is due, if there is one. */
  private async sendDue(): Promise<number | undefined> {
    const { repository, clock, now, onSettled } = this.deps;
    while (!this.stopped) {
      const transport = this.deps.transport();
      if (transport === undefined) return undefined;
      const queues = [...repository.queues(false), ...repository.queues(true)];
      const mail = this.nextOf(queues.filter(({ dueAt }) => dueAt <= now()));
      if (mail === undefined)
        return queues.length > 0 ? Math.min(...queues.map(({ dueAt }) => dueAt)) : undefined;
      const beganAt = clock.monotonic();
      await this.attempt(mail, transport);
      this.turns.charge(mail.tenantId ?? "", 1 + clock.monotonic() - beganAt);
      const settled = repository.find(mail.mailId);
      if (settled !== undefined) onSettled(settled);
    }
    return undefined;
  }
}
