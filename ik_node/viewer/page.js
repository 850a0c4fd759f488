if (!window.ikView) {
  window.ikView = true;
  document.title = 'ik_node';
  document.querySelector('link[rel=icon]').href = ICON;
  // Over the picture: whether the page still has its server, which viser's panel shows by a dim.
  const lost = document.createElement('div');
  lost.id = 'ik-lost';
  lost.setAttribute('role', 'status');
  document.body.append(lost);
  const tell = (text, back) => {
    lost.textContent = text;
    lost.className = back ? 'ik-back' : '';
    lost.hidden = !text;
  };
  tell('');
  const check = async failures => {
    const there = await fetch('ALIVE', {cache: 'no-store', signal: AbortSignal.timeout(5000)}).then(
      response => response.text()).then(() => true, () => false);
    if (!there && failures) tell('The server of this page is gone: nothing here moves the robot. '
      + 'Start ik_view again, at the same port; the page then connects by itself.');
    else if (there && !lost.hidden && !lost.className) {
      tell('The server is back.', true);
      setTimeout(() => { if (lost.className) tell(''); }, 4000);
    }
    setTimeout(check, 1500, there ? 0 : failures + 1);
  };
  check(0);
  // A list that opens near the border of a phone's page would make the page larger, and flicker.
  document.querySelector('meta[name=viewport]').content += ', minimum-scale=1';
  const own = node => node instanceof HTMLInputElement && node.closest('form')
    && !node.getAttribute('aria-haspopup');  // the text of a list is no value of it
  const ofSlider = node => node instanceof HTMLInputElement
    && node.closest('.mantine-NumberInput-root')?.previousElementSibling
      ?.matches('.mantine-Slider-root');
  // viser sends the latest of the changes of all fields every 50 ms. What a field has when it is
  // left or committed is sent at once.
  const send = (input, value) => {
    const uuid = input.closest('div[class*=Flex]')?.querySelector('label')?.htmlFor;
    if (uuid && window.__viserMutable?.sendMessage) window.__viserMutable.sendMessage(
      {type: 'GuiUpdateMessage', uuid, updates: {value}});
  };
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const typed = new Map();  // what each field in use has
  const before = new Map();  // what numbers beside sliders had; the page sees them when committed
  let passes = false;
  const put = (input, text) => {
    setValue.call(input, text);
    passes = true;
    input.dispatchEvent(new Event('input', {bubbles: true}));
    passes = false;
  };
  const restore = (input, text) => {  // after a value that was on its way at the first key
    if (input.value === text) return;
    if (before.has(input)) setValue.call(input, text);
    else put(input, text);
  };
  const factors = {'°': {'°': 1, deg: 1, rad: 180 / Math.PI}, m: {m: 1, cm: 0.01, mm: 0.001}};
  // What is wrong with a number beside a slider; '' where the slider has taken it.
  const commit = input => {
    const root = input.closest('.mantine-NumberInput-root');
    const [name, unit] = root.parentElement.closest('div[class*=Flex]').parentElement.closest(
      'div[class*=Flex]').querySelector('label').textContent.split(', ');
    const end = side => Number(root.previousElementSibling.querySelector(
      '[role=slider]').getAttribute('aria-value' + side));
    const [, number, own] = /^\s*([-+]?(?:\d+\.?|\.\d)\d*(?:e[-+]?\d+)?)\s*(\S*)\s*$/i.exec(
      typed.get(input).replace('\u2212', '-').replace(',', '.')) ?? [];
    const value = Number(number) * (own ? factors[unit]?.[own] ?? NaN : 1), low = end('min'), high = end('max');
    const units = Object.keys(factors[unit] ?? {}).join(', ');
    if (Number.isNaN(value)) return name + ' must be a number' + (units && ', in one of ' + units);
    if (value < low || value > high)
      return `${name} must be from ${low} to ${high} ${unit ?? ''}`.trim();
    setValue.call(input, before.get(input));  // as if it were selected and replaced
    input.select();
    input.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true}));
    typed.delete(input);
    before.delete(input);
    put(input, String(value));
    return '';
  };
  const revert = input => {
    typed.delete(input);
    setValue.call(input, before.get(input));
    before.delete(input);
    input.setCustomValidity('');
  };
  const keep = () => {
    for (const [input, text] of typed) restore(input, text);
    if (typed.size) requestAnimationFrame(keep);
  };
  let selected = null;  // the field whose whole text is, also where another value comes
  const select = (input, isWhole) => {
    if ((own(input) || ofSlider(input)) && input.type === 'text' && input.value && !typed.has(input)
        && isWhole(input)) selected = input;
  };
  document.addEventListener('selectionchange', () => select(document.activeElement, input =>
    input.selectionEnd - input.selectionStart === input.value.length));
  window.addEventListener('beforeinput', event => {
    const input = event.target;
    if (typed.has(input)) restore(input, typed.get(input));
    else if (input === selected) input.select();
    if (ofSlider(input) && !typed.has(input) && event.inputType !== 'insertLineBreak')
      before.set(input, input.value);
    selected = null;
  }, true);
  window.addEventListener('input', event => {
    if (passes || !own(event.target) && !ofSlider(event.target)) return;
    if (ofSlider(event.target)) {
      event.stopPropagation();
      event.target.setCustomValidity('');
    }
    if (!typed.size) requestAnimationFrame(keep);
    typed.set(event.target, event.target.value);
  }, true);
  window.addEventListener('change', event => {
    if (before.has(event.target)) event.stopPropagation();
  }, true);
  const end = input => {
    if (before.has(input)) {
      if (commit(input)) revert(input);
      return;
    }
    const text = typed.get(input);
    if (typed.delete(input)) send(input, text);
  };
  window.addEventListener('submit', event => {
    for (const input of [...typed.keys()]) if (event.target.contains(input)) end(input);
  }, true);
  window.addEventListener('focusout', event => { selected = null; end(event.target); }, true);
  window.addEventListener('keydown', event => {
    if (/^(Arrow|Home|End)/.test(event.key)) selected = null;
    // The event of the selection may come after the next value.
    else if ((event.ctrlKey || event.metaKey) && event.key === 'a') select(event.target, () => true);
    if (before.has(event.target) && event.key === 'Enter') {
      event.target.setCustomValidity(commit(event.target));
      if (event.target.reportValidity()) event.target.select();
    } else if (before.has(event.target) && event.key === 'Escape') {
      revert(event.target);
      event.target.blur();
    } else if (event.key === 'Escape' && own(event.target) && event.target.type === 'text'
        && !event.target.readOnly) {
      setValue.call(event.target, String.fromCharCode(27));
      event.target.dispatchEvent(new Event('input', {bubbles: true}));
      event.target.blur();
    }
  }, true);
  // A press beside a field ends its use.
  window.addEventListener('pointerdown', event => {
    const active = document.activeElement;
    selected = null;
    if (active instanceof HTMLInputElement && !active.contains(event.target)
        && !event.target.closest('[role=listbox]')) active.blur();  // an open list would close
  }, true);
  window.ikCopy = async button => {
    const code = button.previousElementSibling;
    getSelection().selectAllChildren(code);  // also where the page may not use the clipboard
    if (!document.execCommand('copy')) await navigator.clipboard?.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  };
  window.ikPress = row => Array.from(row.closest('.mantine-Paper-root').querySelectorAll('button'))
    .find(one => one.textContent === row.cells[0].textContent)?.click();
  // Chooses in the list of robots, which may be closed, what a picture of the gallery stands for.
  window.ikChoose = picture => Array.from(document.querySelectorAll('[role=option]')).find(one =>
    one.textContent === picture.title)?.click();
  const openTab = name => {
    const tab = Array.from(document.querySelectorAll('[role=tab]')).find(one =>
      one.textContent === name);
    if (!tab) return;
    tab.click();  // on a narrow page; tabs of a wide one have no click
    tab.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  };
  // viser makes the panel anew, with its first tab open, where a phone is turned.
  const tabOpen = () => document.querySelector('[role=tab][aria-selected=true]')?.textContent;
  const reopen = (tabs, name, frames) => {
    const open = tabOpen();
    if (open && !tabs.isConnected) openTab(name);
    else if (frames) requestAnimationFrame(() => reopen(tabs, open ?? name, frames - 1));
  };
  window.addEventListener('resize', () => {
    const tabs = document.querySelector('[role=tablist]'), name = tabOpen();
    if (tabs && name) reopen(tabs, name, 60);
  });
  // A film of the scene, as large and as smooth as it is shown. Without a codec that is named,
  // browsers make files that few players read.
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/mp4'].find(one =>
    window.MediaRecorder?.isTypeSupported(one));
  let film = null;
  window.ikFilm = () => {
    if (film) {
      film.stop();
      return;
    }
    const canvas = window.__viserMutable?.canvas;
    const sheet = document.createElement('canvas'), pen = sheet.getContext('2d');
    if (!type || !canvas || !sheet.captureStream) {
      window.alert('This browser cannot record a film.');
      return;
    }
    const parts = [], recorder = new MediaRecorder(
      sheet.captureStream(), {mimeType: type, videoBitsPerSecond: 1e7});
    recorder.ondataavailable = event => parts.push(event.data);
    recorder.onstop = () => {
      const link = document.createElement('a');
      link.href = window.URL.createObjectURL(new Blob(parts, {type}));
      link.download = 'ik_view.' + type.split(/[/;]/)[1];
      link.click();
      setTimeout(() => window.URL.revokeObjectURL(link.href), 60000);  // once it is saved
      for (const track of recorder.stream.getTracks()) track.stop();
      film = null;
      document.documentElement.classList.remove('ik-films');
    };
    recorder.start();
    film = recorder;
    document.documentElement.classList.add('ik-films');
    const draw = () => {  // a scene at rest, too, which is not drawn otherwise
      if (!film) return;
      window.__viserMutable.requestRender?.();
      [sheet.width, sheet.height] = [canvas.width, canvas.height];
      const look = getComputedStyle(canvas), sky = pen.createLinearGradient(0, 0, 0, sheet.height);
      ['--ik-above', '--ik-below'].forEach((name, end) =>
        sky.addColorStop(end, look.getPropertyValue(name).trim()));
      pen.fillStyle = sky;  // the picture of the scene is transparent
      pen.fillRect(0, 0, sheet.width, sheet.height);
      pen.drawImage(canvas, 0, 0);
      requestAnimationFrame(draw);
    };
    draw();
  };
  // A file that is dropped on the page goes to the button that opens one. Several files and folders
  // are sent by a name only, so that they are refused as any other wrong file is.
  const hasFiles = event => event.dataTransfer
    && Array.from(event.dataTransfer.types).includes('Files');
  window.addEventListener('dragover', event => { if (hasFiles(event)) event.preventDefault(); });
  const open = (sent, frames) => {  // the button is on the page while its tab is open
    const input = Array.from(document.querySelectorAll('input[type=file]')).find(one =>
      one.nextElementSibling?.textContent.includes('OPEN'));
    if (input) {
      input.files = sent.files;
      input.dispatchEvent(new Event('change', {bubbles: true}));
    } else if (frames) {
      if (frames === 60) openTab('Robot');
      requestAnimationFrame(() => open(sent, frames - 1));
    }
  };
  window.addEventListener('drop', event => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const given = event.dataTransfer, sent = new DataTransfer();
    const item = given.items[0] && given.items[0].webkitGetAsEntry();
    const wrong = given.files.length > 1 ? given.files.length + ' files'
      : item && item.isDirectory ? 'the folder ' + item.name : '';
    sent.items.add(wrong ? new File([' '], wrong) : given.files[0]);
    open(sent, 60);
  });
}
