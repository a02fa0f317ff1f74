import { create } from 'zustand';

/** A short message with an optional action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'hot';
  readonly action?: { readonly name: string; readonly run: () => void };
}

const MAX = 3;
let last = 0;

export const useToasts = create<readonly Toast[]>(() => []);

export function toast(text: string, part: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  last += 1;
  const added: Toast = { id: last, text, tone: 'plain', ...part };
  useToasts.setState((toasts) => [...toasts, added].slice(-MAX), true);
}

export function dismiss(id: number): void {
  useToasts.setState((toasts) => toasts.filter((one) => one.id !== id), true);
}
