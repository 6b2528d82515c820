import { useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { notificationsApi, type TestResult } from "./notifications-api.ts";

const CHANNELS = ["email", "messaging"] as const;
type Channel = (typeof CHANNELS)[number];

function resultText({ success, message, code, params, status, response }: TestResult): string {
  const gatewayResponse = status === undefined ? "" : t("notifier.testResponse", { status: String(status) });
  const said = response === undefined ? gatewayResponse : `${gatewayResponse} “${response}”`;
  if (success) return t("notifier.testOk", { response: said });
  return t("notifier.testFailed", { reason: serverText({ code, params }, message) });
}

/** Sends a test message to the user, and shows its result. */
export function TestSend() {
  const action = useAction();
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const send = (channel: Channel) =>
    action.run(async () => {
      setResult(undefined);
      setResult(await notificationsApi.test(channel));
    });
  return (
    <section class="panel flex flex-col gap-3 p-4 sm:p-5" aria-labelledby="test-send">
      <div>
        <h2 id="test-send" class="font-semibold">
          {t("common.test")}
        </h2>
        <p class="text-sm text-soft">{t("notifier.testHint")}</p>
      </div>
      <div class="flex flex-wrap gap-2">
        {CHANNELS.map((channel) => (
          <button
            key={channel}
            type="button"
            class="btn btn-sm"
            disabled={action.busy}
            onClick={() => send(channel)}
          >
            {t(channel === "email" ? "notifier.testEmail" : "notifier.testMessaging")}
          </button>
        ))}
        {action.busy && <span class="loading loading-spinner loading-sm" aria-hidden="true" />}
      </div>
      <p role="status" class={`break-words text-sm ${result?.success === false ? "text-error" : ""}`}>
        {result && resultText(result)}
      </p>
      <ErrorNote error={action.error} />
    </section>
  );
}
