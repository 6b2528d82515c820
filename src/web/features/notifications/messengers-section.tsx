import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { ask } from "../../ui/confirmation.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { DeleteButton, EditLink } from "../../ui/page/row-buttons.tsx";
import { Section } from "../../ui/page/section.tsx";
import { type Messenger, type MessengerTest, messengersApi } from "./messengers-api.ts";

/** Chats, channels and topics that get alarms. */
export function MessengersSection() {
  const list = useResource(messengersApi.list, []);
  return (
    <Section id="messengers" title={t("messenger.title")} hint={t("messenger.hint")}>
      <Loaded of={list}>
        {(messengers) =>
          messengers.length > 0 && (
            <ul class="divide-y divide-base-300/60" aria-label={t("messenger.title")}>
              {messengers.map((messenger) => (
                <MessengerRow key={messenger.messengerId} messenger={messenger} onDeleted={list.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <div>
        <a class="btn btn-sm" href="/settings/notifications/new">
          <Plus size={16} aria-hidden="true" />
          {t("messenger.create")}
        </a>
      </div>
    </Section>
  );
}

function facts({ kind, isEnabled, ruleScope, delivery }: Messenger): string {
  return [
    t(`fieldOption.messenger.kind.${kind}`),
    ...(ruleScope === "NAMED" ? [t("messenger.named")] : []),
    ...(isEnabled ? [] : [t("messenger.disabled")]),
    plural("messenger.sent", delivery.sent),
    ...(delivery.waiting > 0 ? [plural("messenger.waiting", delivery.waiting)] : []),
    ...(delivery.failed > 0 ? [plural("messenger.failed", delivery.failed)] : []),
  ].join(" · ");
}

const resultText = ({ success, message, code, params }: MessengerTest): string =>
  success
    ? serverText({ code, params }, message)
    : t("notifier.testFailed", { reason: serverText({ code, params }, message) });

function MessengerRow({ messenger, onDeleted }: { messenger: Messenger; onDeleted: () => void }) {
  const { name, messengerId } = messenger;
  const action = useAction();
  const [result, setResult] = useState<MessengerTest | undefined>(undefined);
  const test = () =>
    action.run(async () => {
      setResult(undefined);
      setResult(await messengersApi.test(messengerId));
    });
  const named = (label: string) => `${label}: ${name}`;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 py-3">
      <div class="min-w-0 flex-[1_1_14rem]">
        <p class="font-medium wrap-anywhere">{name}</p>
        <p class="text-sm text-soft">{facts(messenger)}</p>
      </div>
      <div class="flex flex-wrap gap-2">
        <button
          type="button"
          class="btn btn-sm"
          disabled={action.busy}
          aria-label={named(t("messenger.test"))}
          onClick={test}
        >
          {t("messenger.test")}
        </button>
        <EditLink href={`/settings/notifications/${messengerId}`} label={named(t("common.edit"))} />
        <DeleteButton
          label={named(t("common.delete"))}
          onClick={() =>
            ask({
              title: t("common.deleteName", { name }),
              warning: t("messenger.deleteWarning"),
              onConfirm: async () => {
                await messengersApi.delete(messengerId);
                toast("success", t("messenger.deleted", { name }));
                onDeleted();
              },
            })
          }
        />
      </div>
      <p
        role="status"
        class={`basis-full text-sm break-words empty:hidden ${result?.success === false ? "text-error" : ""}`}
      >
        {result && resultText(result)}
      </p>
      <ErrorNote error={action.error} />
    </li>
  );
}
