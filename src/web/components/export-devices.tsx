import { Download } from "lucide-preact";
import { t } from "../i18n/i18n.ts";
import { saveFile } from "../lib/save-file.ts";
import { bulkApi } from "../state/bulk-api.ts";
import { toast } from "../state/toasts.ts";
import { errorText } from "./error-note.tsx";
import { useAction } from "./use-form.ts";

/** All devices that the reader may see, as a file that can be imported again. */
export function ExportDevices() {
  const action = useAction();
  const save = () =>
    action.run(async () => {
      try {
        saveFile(await bulkApi.export(), "devices.csv");
      } catch (error) {
        toast("error", errorText(error));
      }
    });
  return (
    <button type="button" class="btn btn-sm" disabled={action.busy} onClick={save}>
      <Download size={16} aria-hidden="true" />
      {t("import.export")}
    </button>
  );
}
