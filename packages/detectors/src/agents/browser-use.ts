import type { AgentContractSettings } from '@loopwatch/contract';

/** Agents that operate a browser: browser-use, and others with the same actions. */
export const browserUse: AgentContractSettings = {
  names: ['browseruse', 'browser_use'],
  tools: {
    click_element: { gui: true },
    click_element_by_index: { gui: true },
    input_text: { gui: true },
    send_keys: { gui: true },
    switch_tab: { gui: true },
    scroll_down: { gui: true },
    scroll_up: { gui: true },
    select_dropdown_option: { gui: true },
    get_dropdown_options: { mutating: false },
    go_to_url: { mutating: false },
    open_tab: { mutating: false },
    search_google: { mutating: false },
    extract_content: { mutating: false },
    extract_structured_data: { mutating: false },
  },
  result_noise: ['Current step: {number}/{number}', 'Current date and time: {line}'],
};
