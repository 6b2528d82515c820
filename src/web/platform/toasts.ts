import { signal } from "@preact/signals";

export interface Toast {
  readonly id: number;
  readonly kind: "success" | "error";
  readonly text: string;
}

export const toasts = signal<readonly Toast[]>([]);
let nextId = 1;

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Success messages disappear by themselves; errors stay until the user closes them. */
export function toast(kind: Toast["kind"], text: string): void {
  if (toasts.value.some((shown) => shown.text === text)) return;
  const id = nextId++;
  toasts.value = [...toasts.value.slice(-2), { id, kind, text }];
  if (kind === "success") setTimeout(() => dismiss(id), 4000);
}
