import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './tokens.css';
import './base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { connect } from './live/connect.ts';
import { LiveContext } from './live/context.ts';
import { LiveStore } from './live/live-store.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

const store = new LiveStore();
const { retry } = connect(store);

createRoot(root).render(
  <StrictMode>
    <LiveContext value={{ store, retry }}>
      <App />
    </LiveContext>
  </StrictMode>,
);
