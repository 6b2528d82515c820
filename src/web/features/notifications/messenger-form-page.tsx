import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type AlarmSeverity, severitiesDescending } from "../../../lib/severity.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { language } from "../../platform/preferences.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { FormPage } from "../../ui/form-page.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { Pending } from "../../ui/pending.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Messenger, type MessengerForm, type MessengerKind, messengersApi } from "./messengers-api.ts";

const KINDS = ["TELEGRAM", "TEAMS", "SLACK", "NTFY", "GOTIFY"] as const satisfies readonly MessengerKind[];
const TRIGGERS = ["CREATED", "ESCALATED", "CLEARED"] as const;
const SERVERS: Readonly<Partial<Record<MessengerKind, string>>> = {
  TELEGRAM: "https://api.telegram.org",
  NTFY: "https://ntfy.sh",
};

const newForm = (): MessengerForm => ({
  name: "",
  kind: "TELEGRAM",
  isEnabled: true,
  ruleScope: "ALL",
  language: language.value,
  severities: [...severitiesDescending],
  triggers: [...TRIGGERS],
  server: SERVERS.TELEGRAM ?? "",
  chatId: "",
  topic: "",
});

const formOf = ({ name, kind, isEnabled, ruleScope, language, severities, ...messenger }: Messenger) => {
  const { triggers, server, chatId, topic } = messenger;
  return { name, kind, isEnabled, ruleScope, language, severities, triggers, server, chatId, topic };
};

interface FieldsProps {
  readonly form: MessengerForm;
  readonly set: (changes: Partial<MessengerForm>) => void;
  /** A secret is stored, which stays if the field is left empty. */
  readonly isKept: boolean;
}

const LIST = "/settings/notifications";

/** Page that changes a messenger, or creates one if the id is `new`. */
export function MessengerPage({ id }: { id: string }) {
  const list = useResource(messengersApi.list, []);
  if (id === "new") return <MessengerFormPage />;
  if (list.data === undefined) return <Pending resource={list} />;
  const messenger = list.data.find(({ messengerId }) => messengerId === id);
  return messenger === undefined ? <NotFoundScreen /> : <MessengerFormPage messenger={messenger} />;
}

function MessengerFormPage({ messenger }: { messenger?: Messenger }) {
  const { route } = useLocation();
  const [form, setForm] = useState<MessengerForm>(() => (messenger ? formOf(messenger) : newForm()));
  const set = (changes: Partial<MessengerForm>) => setForm((before) => ({ ...before, ...changes }));
  const action = useAction();
  const isKept = messenger?.hasSecret === true && messenger.kind === form.kind;
  const submit = () =>
    action.run(async () => {
      const { server, ...fields } = form;
      // Teams and Slack have their server in the address, which is the secret.
      const input = { ...fields, server: form.kind === "TEAMS" || form.kind === "SLACK" ? "" : server };
      const saved = messenger
        ? await messengersApi.update(messenger.messengerId, withoutEmpty(input))
        : await messengersApi.create(withoutEmpty(input));
      toast("success", t("messenger.saved", { name: saved.name }));
      route(LIST);
    });
  return (
    <FormPage
      title={messenger ? t("common.editName", { name: messenger.name }) : t("messenger.create")}
      back={{ href: LIST, text: t("page.notifications") }}
      isNested
      submitText={t("common.save")}
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <div class="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t("messenger.kind")}
            value={form.kind}
            onChange={(e) => {
              const kind = KINDS.find((candidate) => candidate === e.currentTarget.value);
              if (kind) set({ kind, server: SERVERS[kind] ?? "", secret: "" });
            }}
          >
            {KINDS.map((kind) => (
              <option key={kind} value={kind} selected={kind === form.kind}>
                {t(`messengerKind.${kind}`)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t("common.name")}
            required
            maxLength={100}
            pattern=".*\S.*"
            value={form.name}
            onText={(name) => set({ name })}
          />
          <p class="text-sm text-soft sm:col-span-2">{t(`messengerHint.${form.kind}`)}</p>
          <ServiceFields form={form} set={set} isKept={isKept} />
        </div>
      </div>
      <Section id="messenger-alarms" title={t("nav.alarms")}>
        <AlarmFields form={form} set={set} isKept={isKept} />
      </Section>
    </FormPage>
  );
}

/** Leaves out a secret that was not entered, and the server of a webhook. */
function withoutEmpty({ secret = "", server, ...form }: MessengerForm): MessengerForm {
  const input = { ...form, ...(server !== "" && { server }), ...(secret !== "" && { secret }) };
  return input as MessengerForm; // the server may be left out, which the API takes as unchanged
}

/** The few fields that the service needs. */
function ServiceFields({ form, set, isKept }: FieldsProps) {
  const { kind } = form;
  const isWebhook = kind === "TEAMS" || kind === "SLACK";
  return (
    <>
      <TextField
        label={t(`messengerSecret.${kind}`)}
        hint={isKept ? t("messenger.keptHint") : undefined}
        type="password"
        autocomplete="off"
        maxLength={2048}
        required={!isKept && kind !== "NTFY"}
        value={form.secret ?? ""}
        class="input reading w-full"
        onText={(secret) => set({ secret: secret.trim() })}
      />
      {kind === "TELEGRAM" && (
        <TextField
          label={t("messenger.chatId")}
          hint={t("messenger.chatIdHint")}
          required
          maxLength={128}
          value={form.chatId}
          class="input reading w-full"
          onText={(chatId) => set({ chatId: chatId.trim() })}
        />
      )}
      {kind === "NTFY" && (
        <TextField
          label={t("messenger.topic")}
          hint={t("messenger.topicHint")}
          required
          maxLength={64}
          pattern="[\-_A-Za-z0-9]+"
          value={form.topic}
          class="input reading w-full"
          onText={(topic) => set({ topic })}
        />
      )}
      {!isWebhook && (
        <TextField
          label={t("messenger.server")}
          type="url"
          required
          maxLength={512}
          placeholder="https://…"
          value={form.server}
          class="input reading w-full"
          onText={(server) => set({ server: server.trim() })}
        />
      )}
    </>
  );
}

/** Which alarms it gets, and in which language. */
function AlarmFields({ form, set }: FieldsProps) {
  const toggled = <Item,>(items: readonly Item[], item: Item, isOn: boolean): Item[] =>
    isOn ? [...items, item] : items.filter((candidate) => candidate !== item);
  return (
    <>
      <SelectField
        label={t("messenger.ruleScope")}
        value={form.ruleScope}
        onChange={(e) => set({ ruleScope: e.currentTarget.value === "NAMED" ? "NAMED" : "ALL" })}
      >
        {(["ALL", "NAMED"] as const).map((scope) => (
          <option key={scope} value={scope} selected={form.ruleScope === scope}>
            {t(`messenger.ruleScope.${scope}`)}
          </option>
        ))}
      </SelectField>
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-2 font-semibold">{t("messenger.severities")}</legend>
        <div class="flex flex-wrap gap-x-5 gap-y-2">
          {severitiesDescending.map((severity: AlarmSeverity) => (
            <Checkbox
              key={severity}
              checked={form.severities.includes(severity)}
              onCheck={(isOn) => set({ severities: toggled(form.severities, severity, isOn) })}
            >
              {t(`severity.${severity}`)}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-2 font-semibold">{t("messenger.triggers")}</legend>
        <div class="flex flex-wrap gap-x-5 gap-y-2">
          {TRIGGERS.map((trigger) => (
            <Checkbox
              key={trigger}
              checked={form.triggers.includes(trigger)}
              onCheck={(isOn) => set({ triggers: toggled(form.triggers, trigger, isOn) })}
            >
              {t(`messengerTrigger.${trigger}`)}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      <div class="grid gap-4 sm:grid-cols-2 sm:items-end">
        <SelectField
          label={t("messenger.language")}
          value={form.language}
          onChange={(e) => set({ language: e.currentTarget.value === "de" ? "de" : "en" })}
        >
          <option value="en" selected={form.language === "en"}>
            English
          </option>
          <option value="de" selected={form.language === "de"}>
            Deutsch
          </option>
        </SelectField>
        <Checkbox checked={form.isEnabled} onCheck={(isEnabled) => set({ isEnabled })}>
          {t("messenger.enabled")}
        </Checkbox>
      </div>
    </>
  );
}
