import { useEffect, useState } from "preact/hooks";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type SampleText, sampleOf } from "./captured-message.ts";
import { type Integration, type IntegrationEvent, integrationsApi } from "./integrations-api.ts";

const LISTED = 30;

/** Selects the message for testing the mapping: a received one, or a typed one. */
export function CapturedPanel(props: {
  integration: Integration;
  sample: SampleText;
  onSample: (sample: SampleText) => void;
}) {
  const { integration, sample, onSample } = props;
  const [selectedItem, setSelected] = useState("");
  const list = useResource(
    () => integrationsApi.events(integration.integrationId, { limit: LISTED }),
    [integration.integrationId],
  );
  const captured = list.data?.filter(({ payload, direction }) => direction === "IN" && payload !== null);
  const select = (message: IntegrationEvent | undefined) => {
    setSelected(message?.eventId ?? "");
    if (message) onSample(sampleOf(message));
  };
  useEffect(() => select(captured?.[0]), [list.data === undefined]);
  return (
    <section class="panel flex flex-col gap-4 p-4" aria-label={t("sample.title")}>
      <h2 class="font-semibold">{t("sample.title")}</h2>
      <Loaded of={list}>
        {() => captured?.length === 0 && <p class="text-sm text-soft">{t("captured.none")}</p>}
      </Loaded>
      {captured && captured.length > 0 && (
        <div class="flex items-end gap-2">
          <div class="min-w-0 flex-1">
            <SelectField
              label={t("common.message")}
              value={selectedItem}
              none={t("captured.own")}
              options={captured.map(({ eventId, createdAt, topic, status }) => [
                eventId,
                [formatDate(toMs(createdAt) ?? 0, "time"), t(`eventStatus.${status}`), topic]
                  .filter((part) => part !== null)
                  .join(" · "),
              ])}
              onSelect={(id) => select(captured.find(({ eventId }) => eventId === id))}
              onNone={() => select(undefined)}
            />
          </div>
          <button type="button" class="btn" onClick={list.reload}>
            {t("captured.reload")}
          </button>
        </div>
      )}
      {(integration.type === "MQTT" || sample.topic !== "") && (
        <TextField
          label={t("common.topic")}
          value={sample.topic}
          spellcheck={false}
          autocapitalize="off"
          onInput={(e) => {
            setSelected("");
            onSample({ ...sample, topic: e.currentTarget.value });
          }}
          class="input reading w-full"
        />
      )}
      <TextAreaField
        label={t("sample.message")}
        hint={sample.isBinary ? t("captured.binary") : undefined}
        rows={10}
        spellcheck={false}
        value={sample.text}
        onInput={(e) => {
          setSelected("");
          onSample({ ...sample, text: e.currentTarget.value });
        }}
      />
    </section>
  );
}
