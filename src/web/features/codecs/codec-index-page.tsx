import { FileUp, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { serverText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { uploadInParts } from "../../platform/upload.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Age } from "../../ui/state/age.tsx";
import { codecIndexApi, type IndexStatus } from "./codec-index-api.ts";
import { CodecIndexSearch } from "./codec-index-search.tsx";
import { CodecsTrail } from "./codecs-trail.tsx";
import { FileButton } from "./file-button.tsx";

const POLL_MS = 1_000;

/** Search of public codecs and, for operators of the gateway, the searched collection. */
export function CodecIndexPage() {
  const { route } = useLocation();
  const status = useKept(codecIndexApi.status, []);
  useRefresh(status.reload, status.data?.loading ? POLL_MS : undefined);
  return (
    <>
      <CodecsTrail />
      <PageHead title={t("codecIndex.title")} />
      <p class="-mt-2 max-w-2xl text-soft">{t("codecIndex.intro")}</p>
      <Loaded of={status}>
        {(shown) => (
          <>
            {shown.index && (
              <CodecIndexSearch
                key={shown.index.loadedAt}
                onCreated={({ codecId }) => route(`/integrations/codecs/${codecId}`)}
              />
            )}
            <Collection shown={shown} status={status} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Collection({ shown, status }: { shown: IndexStatus; status: Resource<IndexStatus> }) {
  const { index, loading, error } = shown;
  return (
    <Section id="collection" title={t("codecIndex.collection")} hint={t("codecIndex.collectionHint")}>
      {index ? (
        <p class="wrap-anywhere">
          {t("codecIndex.loaded", index)} <Age ts={toMs(index.loadedAt)} />.
        </p>
      ) : (
        <NoCollection />
      )}
      {loading && <p role="status">{t("codecIndex.loading")}</p>}
      {error && <p role="alert">{serverText(error, error.message)}</p>}
      {may("gateway:manage") && (
        <Loading isLoading={loading !== null} hasIndex={index !== null} status={status} />
      )}
    </Section>
  );
}

/** Note on obtaining a collection, and on features without one. */
function NoCollection() {
  return (
    <>
      <p>
        {t("codecIndex.empty")} {t(may("gateway:manage") ? "codecIndex.loadHint" : "codecIndex.emptyHint")}
      </p>
      {may("integrations:write") && (
        <p>
          {t("codecIndex.ownHint")}{" "}
          <a class="link" href="/integrations/codecs/new">
            {t("codecs.create")}
          </a>
        </p>
      )}
    </>
  );
}

/** Loads the index from a folder on the gateway. */
function FolderForm({ isBusy, onLoad }: { isBusy: boolean; onLoad: (folder: string) => void }) {
  const [folder, setFolder] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    onLoad(folder.trim());
  };
  return (
    <form class="flex flex-wrap items-end gap-3" onSubmit={submit}>
      <div class="min-w-0 flex-[0_1_24rem]">
        <TextField
          label={t("codecIndex.folder")}
          value={folder}
          required
          maxLength={maxLengthOf("codec-index/codec-index.schemas.ts", "loadIndexBody", "folder")}
          spellcheck={false}
          placeholder="/srv/lorawan-devices"
          onText={setFolder}
        />
      </div>
      <button type="submit" class="btn" disabled={isBusy}>
        {t("codecIndex.load")}
      </button>
    </form>
  );
}

function Loading(props: { isLoading: boolean; hasIndex: boolean; status: Resource<IndexStatus> }) {
  const { status } = props;
  const action = useAction();
  const [share, setShare] = useState<number>();
  const isBusy = action.busy || props.isLoading;
  const upload = (file: File | undefined) =>
    file &&
    action.run(async () => {
      try {
        const place = { state: codecIndexApi.status, send: codecIndexApi.uploadPart };
        await uploadInParts(file, place, setShare);
      } finally {
        setShare(undefined);
      }
      status.set(await codecIndexApi.load({ name: file.name.slice(0, 256) }));
    });
  const loadFolder = (folder: string) =>
    action.run(async () => status.set(await codecIndexApi.load({ folder })));
  return (
    <>
      <div class="flex flex-wrap items-center gap-3">
        <FileButton
          icon={FileUp}
          text={t("codecIndex.upload")}
          accept=".zip,.gz,.tgz"
          disabled={isBusy}
          onFile={upload}
        />
        {share !== undefined && (
          <p role="status">{t("codecIndex.uploading", { percent: Math.floor(share * 100) })}</p>
        )}
        {props.hasIndex && (
          <Button
            icon={Trash2}
            class="btn btn-ghost btn-sm text-error"
            disabled={isBusy}
            onClick={() =>
              ask({
                title: t("codecIndex.delete"),
                warning: t("codecIndex.deleteWarning"),
                onConfirm: async () => status.set(await codecIndexApi.delete()),
              })
            }
          >
            {t("codecIndex.delete")}
          </Button>
        )}
      </div>
      <FolderForm isBusy={isBusy} onLoad={loadFolder} />
      <ErrorNote error={action.error} />
    </>
  );
}
