import './jitless.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles.css';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app/App.tsx';
import { createAppRouter } from './app/router.tsx';
import { connect } from './live/connect.ts';
import { createLiveStore } from './live/live-store.ts';
import { addDetectorHues } from './ui/lib/detector-hues.ts';

addDetectorHues(document);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

const store = createLiveStore();
const client = createQueryClient();
const { retry } = connect(store, client);

createRoot(root).render(<App client={client} router={createAppRouter()} live={{ store, retry }} />);
