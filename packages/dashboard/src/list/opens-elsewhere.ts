import type { MouseEvent } from 'react';

/** Below this a row is read on a page of its own. */
const PHONE = 761;

/** Whether a click on a row's link goes where the link leads, rather than showing the row beside the list. */
export function opensElsewhere({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey || window.innerWidth < PHONE;
}
