import { describeUserAgent } from "../../lib/user-agent.ts";
import { formatAge, formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import type { OwnSession } from "./account-api.ts";
import { accountApi } from "./account-api.ts";

const NAME_LENGTH_MAX = 60;

function nameOf({ userAgent }: OwnSession): string {
  const existing = describeUserAgent(userAgent);
  if (existing) return t("security.browserOn", existing);
  return userAgent.slice(0, NAME_LENGTH_MAX) || t("security.unknownBrowser");
}

/** List of the user's own sessions, each with a button that ends it. */
export function OwnSessions() {
  const sessions = useResource(accountApi.sessions, []);
  const action = useAction();
  const end = (session: OwnSession) =>
    action.run(async () => {
      await accountApi.endSession(session.sessionId);
      toast("success", t("security.ended"));
      sessions.reload();
    });
  const endOthers = () =>
    action.run(async () => {
      const ended = await accountApi.endOtherSessions();
      toast("success", plural("security.endedOthers", ended));
      sessions.reload();
    });
  return (
    <section class="panel flex flex-col gap-4 p-4 sm:p-5" aria-labelledby="security-sessions">
      <div class="flex flex-wrap items-start justify-between gap-3">
        <div class="min-w-0">
          <h2 id="security-sessions" class="font-semibold">
            {t("security.sessions")}
          </h2>
          <p class="text-sm text-soft">{t("security.sessionsHint")}</p>
        </div>
        {(sessions.data?.length ?? 0) > 1 && (
          <button type="button" class="btn btn-sm" disabled={action.busy} onClick={endOthers}>
            {t("security.endOthers")}
          </button>
        )}
      </div>
      <ErrorNote error={action.error} />
      <Loaded of={sessions}>
        {(all) => (
          <ul class="flex flex-col divide-y divide-base-300" data-testid="sessions">
            {all.map((session) => (
              <SessionLine
                key={session.sessionId}
                session={session}
                busy={action.busy}
                onEnd={() => end(session)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function SessionLine(props: { session: OwnSession; busy: boolean; onEnd: () => void }) {
  const { session } = props;
  const name = nameOf(session);
  const [used = 0, since = 0] = [toMs(session.lastUsedAt), toMs(session.createdAt)];
  return (
    <li class="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div class="min-w-0">
        <p class="font-medium break-words">
          {name}
          {session.isCurrent && <span class="font-normal text-soft"> · {t("security.thisOne")}</span>}
        </p>
        {session.impersonatedBy !== undefined && (
          <p class="text-sm font-medium">{t("security.actedBy", { email: session.impersonatedBy })}</p>
        )}
        <p class="text-sm text-soft">
          {[
            session.address,
            t("security.lastUsed", { age: formatAge(used, now.value) }),
            t("common.sinceTime", { time: formatDate(since, "zoned") }),
          ].join(" · ")}
        </p>
      </div>
      {!session.isCurrent && (
        <button
          type="button"
          class="btn btn-sm"
          disabled={props.busy}
          aria-label={t("security.endOf", { name })}
          onClick={props.onEnd}
        >
          {t("security.end")}
        </button>
      )}
    </li>
  );
}
