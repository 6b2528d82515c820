import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Widget, WidgetConfig } from "./dashboards-api.ts";
import { isPicture } from "./widgets/plan.tsx";
import { textOf } from "./widgets/values.ts";

/** Limit of the file; as text in the dashboard it takes a third more. */
const IMAGE_BYTES_MAX = 400 * 1024;

interface FieldProps {
  readonly widget: Widget;
  readonly onChange: (changes: WidgetConfig) => void;
}

export function ParamsField({ widget, onChange }: FieldProps) {
  const { params } = widget.config;
  const [text, setText] = useState(params === undefined ? "" : JSON.stringify(params));
  const [isWrong, setWrong] = useState(false);
  const take = (input: string) => {
    setText(input);
    try {
      onChange({ params: input.trim() === "" ? undefined : JSON.parse(input) });
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <TextField
      label={t("widget.params")}
      hint={t("widget.paramsHint")}
      error={isWrong ? t("widget.paramsWrong") : undefined}
      value={text}
      class="input reading w-full"
      onText={take}
    />
  );
}

const readPicture = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

export function ImageField({ widget, onChange }: FieldProps) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const take = async (file: File) => {
    const picture = file.size > IMAGE_BYTES_MAX ? "" : await readPicture(file);
    const isGood = isPicture(picture);
    setProblem(isGood ? undefined : t("widget.imageWrong"));
    if (isGood) onChange({ image: picture });
  };
  return (
    <Field label={t("widget.image")} hint={t("widget.imageHint")} error={problem}>
      <input
        class="file-input w-full"
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
        onChange={(e) => {
          const [file] = e.currentTarget.files ?? [];
          if (file) take(file);
        }}
      />
      {isPicture(textOf(widget, "image")) && (
        <button
          type="button"
          class="btn btn-ghost btn-xs self-start"
          onClick={() => onChange({ image: undefined })}
        >
          {t("widget.imageRemove")}
        </button>
      )}
    </Field>
  );
}
