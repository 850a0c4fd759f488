"""Screenshots of the page."""

import imageio.v3 as iio
import viser

_SIZE = 1200, 1600  # pixels, height and width


def add_screenshot_button(server: viser.ViserServer) -> None:
    """Add a button that saves a screenshot."""
    def save(event: viser.GuiEvent) -> None:
        client = event.client
        if client is not None:
            picture = client.get_render(*_SIZE)
            client.send_file_download('ik_view.png', iio.imwrite(
                '<bytes>', picture, extension='.png'), save_immediately=True)
    server.gui.add_button('Save a picture').on_click(save)
