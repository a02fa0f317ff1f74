import { configure } from '@testing-library/react';

// Pages load their code on the way, which takes long on a busy machine.
configure({ asyncUtilTimeout: 60_000 });
