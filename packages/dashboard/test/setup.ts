import { configure } from '@testing-library/react';

// Pages load their code on the way, which takes long on a busy machine.
configure({ asyncUtilTimeout: 60_000 });

// jsdom does not open dialogs.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
  this.dispatchEvent(new Event('close'));
};
// Nor does it scroll.
Element.prototype.scrollIntoView = function scrollIntoView() {};
