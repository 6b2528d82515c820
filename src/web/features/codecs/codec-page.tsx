import { FileUp } from "lucide-preact";
import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formSchema, maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { CodeEditor } from "../../ui/form/code-editor.tsx";
import { useLeaveQuestion } from "../../ui/form/leave-question.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { type Codec, type CodecForm, codecsApi } from "./codecs-api.ts";
import { CodecsTrail } from "./codecs-trail.tsx";
import { FileButton } from "./file-button.tsx";
import { TrialPanel } from "./trial-panel.tsx";
import { useTrial } from "./use-trial.ts";

const { fields } = formSchema("codecs/codecs.schemas.ts", "createCodecBody");
const SOURCE_BYTES_MAX = fields.source?.maxLength ?? 0;

const FIRST_SOURCE = `function decodeUplink(input) {
  const { bytes, fPort } = input;
  return {
    data: {
      temperature: ((bytes[0] << 8) | bytes[1]) / 10,
    },
  };
}
`;

export function CodecPage({ codecId }: { codecId: string | undefined }) {
  return codecId === undefined ? (
    <CodecEditor codec={undefined} onSaved={() => undefined} />
  ) : (
    <StoredCodec codecId={codecId} />
  );
}

function StoredCodec({ codecId }: { codecId: string }) {
  const loaded = useResource(() => codecsApi.get(codecId), [codecId]);
  return (
    <Loaded of={loaded} isPage>
      {(codec) => <CodecEditor codec={codec} onSaved={loaded.set} />}
    </Loaded>
  );
}

const formOf = (codec: Codec | undefined): CodecForm => ({
  name: codec?.name ?? "",
  description: codec?.description ?? "",
  source: codec?.source ?? FIRST_SOURCE,
});

function NameFields(props: {
  form: CodecForm;
  mayChange: boolean;
  set: (changes: Partial<CodecForm>) => void;
}) {
  const { form, mayChange, set } = props;
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <TextField
        label={t("common.name")}
        value={form.name}
        maxLength={maxLengthOf("codecs/codecs.schemas.ts", "createCodecBody", "name")}
        required
        readOnly={!mayChange}
        onText={(text) => set({ name: text })}
      />
      <TextField
        label={t("common.description")}
        value={form.description ?? ""}
        maxLength={maxLengthOf("codecs/codecs.schemas.ts", "createCodecBody", "description")}
        readOnly={!mayChange}
        onText={(text) => set({ description: text })}
      />
    </div>
  );
}

function SaveBar({ isBusy, onDiscard }: { isBusy: boolean; onDiscard: (() => void) | undefined }) {
  return (
    <div class="panel sticky bottom-2 z-10 flex flex-wrap items-center gap-3 p-3 shadow-lg">
      <p class="min-w-0 flex-1" role="status">
        {t("step.unsaved")}
      </p>
      {onDiscard && (
        <button type="button" class="btn btn-ghost btn-sm" onClick={onDiscard}>
          {t("common.discardChanges")}
        </button>
      )}
      <button type="submit" class="btn btn-primary btn-sm" disabled={isBusy}>
        {t("common.save")}
      </button>
    </div>
  );
}

function CodecEditor({ codec, onSaved }: { codec: Codec | undefined; onSaved: (codec: Codec) => void }) {
  const { route } = useLocation();
  const [form, setForm] = useState<CodecForm>(() => formOf(codec));
  const action = useAction();
  const mayChange = may("integrations:write");
  const trial = useTrial(mayChange ? form.source : undefined);
  const isChanged = useRef(false);
  isChanged.current = JSON.stringify(form) !== JSON.stringify(formOf(codec));
  const isDirty = codec === undefined || isChanged.current;
  const question = useLeaveQuestion(
    () => isChanged.current,
    () => {
      isChanged.current = false;
    },
  );
  const set = (changes: Partial<CodecForm>) => setForm((existing) => ({ ...existing, ...changes }));
  const takeFile = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > SOURCE_BYTES_MAX)
      return toast("error", t("codecs.fileTooLarge", { max: String(SOURCE_BYTES_MAX / 1024) }));
    const source = (await file.text()).replaceAll("\r\n", "\n");
    set({ source, ...(form.name === "" && { name: file.name.replace(/\.[cm]?js$/i, "") }) });
  };
  const save = (event: Event) => {
    event.preventDefault();
    action.run(async () => {
      const saved = await (codec ? codecsApi.update(codec.codecId, form) : codecsApi.create(form));
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      isChanged.current = false;
      if (codec) onSaved(saved);
      else route(`/integrations/codecs/${saved.codecId}`, true);
    });
  };
  return (
    <>
      {question}
      <CodecsTrail />
      <PageHead title={codec?.name ?? t("codecs.create")}>
        {mayChange && (
          <FileButton
            icon={FileUp}
            text={t("codecs.file")}
            accept=".js,.cjs,.mjs,.txt,text/javascript"
            onFile={takeFile}
          />
        )}
        {mayChange && codec && (
          <DeleteButton
            label={t("codecs.delete")}
            onClick={() =>
              confirmDelete({
                name: codec.name,
                title: t("codecs.delete"),
                warning: t("codecs.deleteWarning", { name: codec.name }),
                onDelete: async () => {
                  await codecsApi.delete(codec.codecId);
                  isChanged.current = false;
                },
                onDeleted: () => route("/integrations/codecs"),
              })
            }
          />
        )}
      </PageHead>
      {codec && codec.usedBy.length > 0 && (
        <p class="-mt-2 text-soft">
          {t("codecs.usedByNames", { names: codec.usedBy.map(({ name }) => name).join(", ") })}
        </p>
      )}
      <div class="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <form class="flex min-w-0 flex-col gap-4" onSubmit={save}>
          <NameFields form={form} mayChange={mayChange} set={set} />
          <CodeEditor
            label={t("codecs.source")}
            value={form.source}
            onInput={(source) => set({ source })}
            wrongLine={trial.trial?.error?.line ?? undefined}
            describedBy="script-error"
            readOnly={!mayChange}
          />
          <ErrorNote error={action.error} />
          {mayChange && isDirty && (
            <SaveBar isBusy={action.busy} onDiscard={codec && (() => setForm(formOf(codec)))} />
          )}
        </form>
        {mayChange && <TrialPanel {...trial} />}
      </div>
    </>
  );
}
